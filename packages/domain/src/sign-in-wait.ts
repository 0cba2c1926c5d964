/** How long guessed passwords and codes slow down the next try. */

/** Failed tries so far, and the time of the last. */
export type Failures = { count: number; lastAt: Date };

const forgottenAfterMs = 60 * 60_000;
const longestWaitMs = 15 * 60_000;

/** Failures without a wait: a person mistypes, and a whole office shares an address. */
export const freeFailures = { person: 5, address: 50 } as const;

/** @returns the time at and before which failures count no more */
export function forgottenBefore(now: Date): Date {
  return new Date(now.getTime() - forgottenAfterMs);
}

/** @returns the failures that still count: none after an hour without one */
export function remembered({ count, lastAt }: Failures, now: Date): number {
  return lastAt <= forgottenBefore(now) ? 0 : count;
}

/** @returns the milliseconds before the next try: none for the free failures, then 1 s, doubled each time up to 15 min */
export function waitMs(failures: Failures, free: number, now: Date): number {
  const beyond = remembered(failures, now) - free;
  if (beyond < 0) return 0;
  const pause = Math.min(longestWaitMs, 1_000 * 2 ** Math.min(beyond, 20));
  return Math.max(0, failures.lastAt.getTime() + pause - now.getTime());
}
