import { setTimeout as delay } from 'node:timers/promises';

/** Resolves when the caller's turn has come; `turns`: how many it takes, one unless told. */
export type Pace = (turns?: number) => Promise<void>;

/**
 * Spreads work that nobody waits for evenly over time, however much of it there is.
 * @param perSecond how many turns come in a second, at most
 * @param now milliseconds of a clock that never goes back
 */
export function createPace(perSecond: number, now: () => number = () => performance.now()): Pace {
  const everyMs = 1_000 / perSecond;
  let next = Number.NEGATIVE_INFINITY;
  return async (turns = 1) => {
    const waitMs = next - now();
    // What was missed is not made up for: that would be the burst that is to be avoided.
    next = Math.max(next, now()) + turns * everyMs;
    if (waitMs > 0) await delay(Math.ceil(waitMs));
  };
}
