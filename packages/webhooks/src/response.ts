import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { AnsweredAttempt } from './attempt-result.ts';
import { SendFailure } from './send-failure.ts';

const EXCERPT_BYTES = 1024;
const RETRY_AFTER_CHARACTERS = 128;
/** No receiver has so much to say before its response. A flood would keep the process from all other receivers. */
const INTERIM_RESPONSES = 1_000;

export type ReceivedResponse = Omit<AnsweredAttempt, 'outcome' | 'durationMs'>;

/**
 * Sends one request and reads its response up to `maxResponseBytes`. A longer response is cut off with its connection,
 * and its status counts all the same. It uses undici's `dispatch`, since `request` leaves a connection open that comes
 * after the deadline.
 * @throws SendFailure, after `withinMs` at the latest; nothing is sent after that
 */
export function responseTo(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { withinMs, maxResponseBytes }: { withinMs: number; maxResponseBytes: number },
): Promise<ReceivedResponse> {
  const handler = new ResponseHandler(withinMs, maxResponseBytes);
  dispatcher.dispatch(request, handler);
  return handler.response;
}

const nothing = Buffer.alloc(0);

/** Receives undici's events for one request. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #outcome = Promise.withResolvers<ReceivedResponse>();
  readonly response = this.#outcome.promise;
  readonly #maxBytes: number;
  readonly #timer: NodeJS.Timeout;
  #lastLook: NodeJS.Immediate | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #expired = false;
  #status = 0;
  #retryAfter: string | null = null;
  #excerpt: Buffer = nothing;
  #received = 0;
  #interim = 0;

  constructor(withinMs: number, maxBytes: number) {
    this.#maxBytes = maxBytes;
    // After a pause of the whole process, timers run before the sockets are read. So the response counts as late only once
    // the sockets were read again: it may have arrived in time.
    this.#timer = setTimeout(() => {
      this.#lastLook = setImmediate(() => this.#expire());
    }, withinMs);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#lastLook);
  }

  #expire(): void {
    this.#expired = true;
    const waiting = this.#controller ? 'no_response_in_time' : 'not_connected_in_time';
    const failure = new SendFailure('timeout', this.#status !== 0 ? 'response_incomplete' : waiting);
    this.#outcome.reject(failure);
    this.#controller?.abort(failure);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The connection came too late: the attempt is recorded as failed, so it must not be sent.
    if (this.#expired) controller.abort(new SendFailure('timeout', 'not_connected_in_time'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) return void this.#countInterim(controller);
    this.#status = status;
    // A repeated header comes as a list, despite its type.
    const asked: unknown = headers['retry-after'];
    const retryAfter: unknown = Array.isArray(asked) ? asked[0] : asked;
    if (typeof retryAfter === 'string') this.#retryAfter = retryAfter.slice(0, RETRY_AFTER_CHARACTERS);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const missing = EXCERPT_BYTES - this.#excerpt.length;
    if (missing > 0) this.#excerpt = Buffer.concat([this.#excerpt, chunk.subarray(0, missing)]);
    this.#received += chunk.length;
    if (this.#received <= this.#maxBytes) return;
    this.#resolve();
    controller.abort(new SendFailure('response', 'response_too_long'));
  }

  #countInterim(controller: Dispatcher.DispatchController): void {
    this.#interim += 1;
    if (this.#interim > INTERIM_RESPONSES) controller.abort(new SendFailure('response', 'response_too_long'));
  }

  onResponseEnd(): void {
    this.#resolve();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#stopTimer();
    this.#outcome.reject(SendFailure.from(error, this.#controller ? 'response' : 'connect'));
  }

  #resolve(): void {
    this.#stopTimer();
    const responseExcerpt = readableText(this.#excerpt);
    this.#outcome.resolve({ status: this.#status, retryAfter: this.#retryAfter, responseExcerpt });
  }
}

/** PostgreSQL refuses NUL in text, and control characters disturb terminals. */
function readableText(bytes: Buffer): string {
  if (bytes.length === 0) return '';
  // In stream mode, a character cut in half is left out instead of replaced.
  return new TextDecoder().decode(bytes, { stream: true }).replace(/(?![\t\n\r])\p{Cc}/gu, '\ufffd');
}
