import { setTimeout as delay } from 'node:timers/promises';

/**
 * Spreads background work evenly over time: so many turns in a second at most.
 * @returns a function that resolves when the caller's turn comes
 */
export function createPace(perSecond: number): () => Promise<void> {
  const everyMs = 1_000 / perSecond;
  let next = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = performance.now();
    const waitMs = next - now;
    // Missed turns are dropped: making up for them would be a burst.
    next = Math.max(next, now) + everyMs;
    if (waitMs > 0) await delay(Math.ceil(waitMs));
  };
}
