import { setTimeout as delay } from 'node:timers/promises';
import { PixUnavailable } from '@payments/pix/errors';

const askEveryMs = 2_000;

export type Patience = {
  withinMs: number;
  /** Ends the wait early. */
  signal?: AbortSignal;
};

/**
 * Asks until there is something. The bank may fail in between.
 * @returns undefined when the time is over and there is nothing yet
 * @throws the last error when the time is over; at once for an error that another try does not change
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

/** True for a failure that says nothing of the request. False for a refusal, and for an address without an API Pix. */
export function mayHaveTakenEffect(error: unknown): boolean {
  return error instanceof PixUnavailable && error.reason !== 'wrong-address';
}
