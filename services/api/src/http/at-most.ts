import pLimit, { type LimitFunction } from 'p-limit';

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

type Line = { turn: LimitFunction; tasks: number };

/**
 * Limits the concurrency of a kind of work in all, and that of each who asks for it. Only what one may run queues with
 * the tasks of others, so whoever floods waits behind them, and not they behind the flood.
 * @returns a function that runs a task of `who`; it returns undefined at once if too many wait, in all or of theirs
 */
export function atMostEach({
  all,
  each,
}: {
  all: Bounds;
  each: Bounds;
}): <T>(who: string, work: () => Promise<T>) => Promise<T> | undefined {
  const lines = new Map<string, Line>();
  const turnOfAll = pLimit(all.running);
  const [most, mostEach] = [all.running + all.waiting, each.running + each.waiting];
  let tasks = 0;

  const begin = (who: string, line: Line) => {
    lines.set(who, line);
    line.tasks += 1;
    tasks += 1;
  };
  const end = (who: string, line: Line) => {
    line.tasks -= 1;
    tasks -= 1;
    if (line.tasks === 0) lines.delete(who);
  };
  return (who, work) => {
    const line = lines.get(who) ?? { turn: pLimit(each.running), tasks: 0 };
    if (tasks >= most || line.tasks >= mostEach) return undefined;
    begin(who, line);
    return line.turn(() => turnOfAll(work)).finally(() => end(who, line));
  };
}
