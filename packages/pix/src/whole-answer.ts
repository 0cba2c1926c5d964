import type { Dispatcher } from 'undici';

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

const decoder = new TextDecoder();

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
    const bytes = this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
    this.#settle.resolve({ status: this.#status, text: decoder.decode(bytes) });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#settle.reject(error);
  }
}
