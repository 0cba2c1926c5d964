import pLimit from 'p-limit';

export type Bounds = {
  /** How many run at a time. */
  running: number;
  /** How many may wait beside those. */
  waiting: number;
};

/**
 * Keeps work that comes in a flood from taking all of what it shares with other work.
 * @returns a function that runs what it is given, in order; it returns undefined at once while too much waits already
 */
export function atMost(bounds: Bounds): <T>(work: () => Promise<T>) => Promise<T> | undefined {
  const limit = pLimit(bounds.running);
  const most = bounds.running + bounds.waiting;
  return (work) => (limit.activeCount + limit.pendingCount >= most ? undefined : limit(work));
}
