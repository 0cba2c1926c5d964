import { setTimeout as delay } from 'node:timers/promises';
import { PixUnavailable } from '@payments/pix/errors';

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
