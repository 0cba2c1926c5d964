import { setTimeout as delay } from 'node:timers/promises';
import { PixRefused, PixUnavailable } from '@payments/pix/errors';

/** A failed step: the reason, and what to do. */
export class CheckFailed extends Error {
  readonly advice: string;
  /** The request and the bank's words, for its support. */
  readonly exchange: string | undefined;

  constructor(message: string, advice: string, exchange?: string) {
    super(message);
    this.advice = advice;
    this.exchange = exchange;
  }
}

const wrongAddress =
  'Check PIX_URL: the host answers, but has no API Pix there. Where other calls work, this is how the bank says that a thing is missing: name a word of it in PIX_MISSING, as `404:word`.';

/** Turns an error of the API Pix client into a failed step. */
export function failureOf(error: unknown, advice: string): CheckFailed {
  if (error instanceof CheckFailed) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof PixUnavailable && error.reason === 'wrong-address')
    return new CheckFailed(message, wrongAddress, exchangeOf(error));
  if (error instanceof PixRefused || error instanceof PixUnavailable)
    return new CheckFailed(message, advice, exchangeOf(error));
  return new CheckFailed(message, advice);
}

function exchangeOf(error: PixRefused | PixUnavailable): string {
  return `${error.operation}, status ${error.status ?? 'none'}`;
}

const askEveryMs = 2_000;

export type Patience = {
  withinMs: number;
  /** Ends the wait early. */
  signal?: AbortSignal;
};

/**
 * Asks again and again until there is a result. Failures of the bank in between do not end the wait.
 * @returns undefined if the time is over without a result
 * @throws the last error once the time is over; at once an error that another try can't change
 */
export async function untilDone<T>(
  { withinMs, signal }: Patience,
  ask: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const endsAt = performance.now() + withinMs;
  for (;;) {
    const isLast = () => performance.now() > endsAt || signal?.aborted;
    try {
      const found = await ask();
      if (found !== undefined || isLast()) return found;
    } catch (error) {
      if (!mayHaveTakenEffect(error) || isLast()) throw error;
    }
    await delay(Math.min(askEveryMs, withinMs / 10), undefined, signal && { signal }).catch(() => null);
  }
}

/** True if nobody knows what became of the request. A refusal, or an address without an API Pix, is no such failure. */
export function mayHaveTakenEffect(error: unknown): boolean {
  return error instanceof PixUnavailable && error.reason !== 'wrong-address';
}
