import { windowMs } from '@payments/database/record/repeated-changes';
import { LRUCache } from 'lru-cache';

/**
 * Counts the rows of lists that each actor takes in ten minutes, so that an export by hand is told, however it is paged: by
 * numbers, by moving `to`, by stores.
 *
 * A row counts once, however often it is asked for: a page that updates itself, and a program that polls, export nothing.
 * So ids must be kept, and each process keeps those of its own answers: a table of them would make each read of a list a
 * write. Who asks two replicas in turn may take twice as many before it is on record.
 */
export type TakenRows = (taken: Taken) => number | undefined;

type Taken = {
  /** The actor and the list. */
  who: string;
  ids: readonly string[];
  at: Date;
};

type Count = { window: number; ids: Set<string>; isTold: boolean };

/** As many as three of the largest pages have. */
export const untoldRows = 600;
const rememberedAtMost = 500;

/** @returns a function that counts rows, and returns how many there were once they are too many; once in ten minutes */
export function takenRows(): TakenRows {
  const counts = new LRUCache<string, Count>({ max: rememberedAtMost });
  return ({ who, ids, at }) => {
    const window = Math.floor(at.getTime() / windowMs);
    const known = counts.get(who);
    const count = known?.window === window ? known : { window, ids: new Set<string>(), isTold: false };
    counts.set(who, count);
    if (count.isTold) return undefined;
    for (const id of ids) count.ids.add(id);
    const { size } = count.ids;
    if (size <= untoldRows) return undefined;
    counts.set(who, { window, ids: new Set(), isTold: true });
    return size;
  };
}
