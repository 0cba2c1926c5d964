import pLimit from 'p-limit';

export type Bounds = {
  /** Tasks that run at the same time. */
  running: number;
  /** Tasks that may wait besides those. */
  waiting: number;
};

/**
 * Limits the concurrency of a kind of work, so that a flood of it leaves resources for other work.
 * @returns a function that runs tasks in order; it returns undefined at once if too many wait
 */
export function atMost(bounds: Bounds): <T>(work: () => Promise<T>) => Promise<T> | undefined {
  const limit = pLimit(bounds.running);
  const most = bounds.running + bounds.waiting;
  return (work) => (limit.activeCount + limit.pendingCount >= most ? undefined : limit(work));
}
