import { setTimeout as delay } from 'node:timers/promises';

/** Resolves when the caller's turn comes. `turns` is how many it takes, one by default. */
export type Pace = (turns?: number) => Promise<void>;

/** Spreads background work evenly over time: so many turns in a second at most. */
export function createPace(perSecond: number): Pace {
  const everyMs = 1_000 / perSecond;
  let next = Number.NEGATIVE_INFINITY;
  return async (turns = 1) => {
    const now = performance.now();
    const waitMs = next - now;
    // Missed turns are dropped: making up for them would be a burst.
    next = Math.max(next, now) + turns * everyMs;
    if (waitMs > 0) await delay(Math.ceil(waitMs));
  };
}
