import type { Database } from '@payments/database/connection';
import { type DueDelivery, readDue, readDueByStore } from '@payments/database/deliveries/due';
import type { Chosen, Slots } from './slots.ts';

export type Found = {
  chosen: Chosen[];
  /** True if more may be due than was read, or than the slots allow. */
  hasMore: boolean;
  /** True if the next look may find more even if no slot becomes free. */
  goesOn: boolean;
};

// Usually a page takes some milliseconds: few stores have anything to attempt.
const pageSize = { stores: 200, endpoints: 200, perEndpoint: 4 };
// A look costs three statements, so a backlog is taken in bursts. Larger bursts open more connections, and are slower again.
const burst = 96;
// Longer than the free slots, so that a few busy endpoints at the head don't hide the others.
const headOf = (free: number) => free + 64;

/**
 * Finds due deliveries for free slots. It reads the head of the queue. If that is not all that is due, a few stores may
 * fill it, so it also reads the others page by page, some endpoints of each.
 */
export function dueQueue(db: Database, slots: Slots): () => Promise<Found> {
  const stores = storesInTurns(db, slots);
  return async () => {
    // Slots that become free during the read are for the next look.
    const free = Math.min(slots.free(), burst);
    const length = headOf(free);
    const head = await readDue(db, length);
    const chosen = slots.choose(head);
    if (head.length < length) return { chosen, hasMore: chosen.length < waiting(head), goesOn: false };
    const { due, goesOn } = await stores.read(storesWith(free, chosen));
    if (due.length === 0) return { chosen, hasMore: true, goesOn };
    return { chosen: slots.choose(unique([...head, ...due])), hasMore: true, goesOn };
  };
}

/**
 * Reads the stores in laps, a page at a time. A store with more endpoints than its share of a page goes on with the
 * others in the next lap. A store that gets no slot is not read.
 */
function storesInTurns(db: Database, slots: Slots) {
  let after: string | null = null;
  let unfinished = new Map<string, string>();
  let stillUnfinished = new Map<string, string>();
  // A store that holds all that its failing endpoints get may have thousands of them: each look goes a page on.
  const goesOn = () => {
    const full = new Set(slots.fullStores('failing'));
    return after !== null || [...unfinished.keys()].some((storeId) => !full.has(storeId));
  };
  return {
    /**
     * @param served stores that need no more than was read
     * @returns `goesOn`: true if another page may have more
     */
    async read(served: readonly string[]): Promise<{ due: DueDelivery[]; goesOn: boolean }> {
      const except = [...served, ...slots.fullStores('proven')];
      const page = await readDueByStore(db, { ...pageSize, after, endpointsAfter: unfinished, except });
      for (const { storeId, next } of page.visited) if (next !== null) stillUnfinished.set(storeId, next);
      after = page.next;
      if (after === null) [unfinished, stillUnfinished] = [stillUnfinished, new Map()];
      return { due: page.due, goesOn: goesOn() };
    },
  };
}

/** @returns the stores with at least so many of these deliveries */
function storesWith(count: number, deliveries: readonly DueDelivery[]): string[] {
  const ofStores = Map.groupBy(deliveries, ({ storeId }) => storeId);
  return [...ofStores].filter(([, own]) => own.length >= count).map(([storeId]) => storeId);
}

const waiting = (due: readonly DueDelivery[]) => due.filter(({ circuit }) => circuit !== 'open').length;

function unique(due: readonly DueDelivery[]): DueDelivery[] {
  return [...new Map(due.map((delivery) => [delivery.id, delivery])).values()];
}
