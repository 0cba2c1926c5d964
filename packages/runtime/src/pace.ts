import { setTimeout as delay } from 'node:timers/promises';

type Clock = { now: () => number; pause: (ms: number) => Promise<unknown> };

const machineClock: Clock = { now: () => performance.now(), pause: (ms) => delay(ms) };

/**
 * Spreads background work evenly over time: so many turns in a second at most.
 * @param clock the time in milliseconds, and how to wait; the machine's by default
 * @returns a function that resolves when the caller's turn comes
 */
export function createPace(perSecond: number, { now, pause }: Clock = machineClock): () => Promise<void> {
  const everyMs = 1_000 / perSecond;
  let next = Number.NEGATIVE_INFINITY;
  return async () => {
    const at = now();
    const waitMs = next - at;
    // Missed turns are dropped: making up for them would be a burst.
    next = Math.max(next, at) + everyMs;
    if (waitMs > 0) await pause(Math.ceil(waitMs));
  };
}
