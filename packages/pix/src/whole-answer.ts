import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import type { Dispatcher } from 'undici';

/** The most bytes of a response, as sent and unpacked. */
export const longestAnswer = 16 * 1024 * 1024;

export type WholeAnswer = { status: number; text: string };

/**
 * Sends one request and reads its whole response. Rejects with the connection's error, and at once when the signal
 * aborts; nothing is sent after that. It uses undici's events, because a stream costs more than these small responses.
 */
export function wholeAnswer(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<WholeAnswer> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const reader = new AnswerReader();
  const abort = () => reader.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  dispatcher.dispatch(request, reader);
  return reader.answer.finally(() => signal.removeEventListener('abort', abort));
}

const utf8 = new TextDecoder();
const latin1 = new TextDecoder('latin1');

/** Some gateways pack what nobody asked them to pack, and older systems write Latin-1. */
function readable(bytes: Buffer): string {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const text = isPacked ? gunzipSync(bytes, { maxOutputLength: longestAnswer }) : bytes;
  return (isUtf8(text) ? utf8 : latin1).decode(text);
}

/** Hears undici's events for one request. */
class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #settle = Promise.withResolvers<WholeAnswer>();
  readonly answer = this.#settle.promise;
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: Error | undefined;
  #status = 0;
  #chunks: Buffer[] = [];

  abort(reason: Error): void {
    this.#aborted = reason;
    this.#settle.reject(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The signal aborted before there was a connection.
    if (this.#aborted) controller.abort(this.#aborted);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [only] = this.#chunks;
    const bytes = only && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
    try {
      this.#settle.resolve({ status: this.#status, text: readable(bytes) });
    } catch (error) {
      this.#settle.reject(error);
    }
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#settle.reject(error);
  }
}
