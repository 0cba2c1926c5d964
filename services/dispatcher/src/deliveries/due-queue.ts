import type { Database } from '@payments/database/connection';
import { type DueDelivery, readDue, readDueByEndpoint } from '@payments/database/deliveries/due';
import type { Chosen, Slots } from './slots.ts';

export type Found = {
  chosen: Chosen[];
  /** True if more may be due than was read, or than the slots allow. */
  hasMore: boolean;
  /** True if the next look may find more even if no slot becomes free. */
  goesOn: boolean;
};

const pageOfEndpoints = 500;
// A backlog in larger bursts would open more connections, and cost a tenth more CPU for each delivery.
const burst = 32;
// Longer than the free slots, so that a few busy endpoints at the head don't hide the others.
const headOf = (free: number) => free + 64;

/**
 * Finds due deliveries for free slots. It reads the head of the queue. If endpoints without a slot fill the head, it
 * reads all endpoints page by page.
 */
export function dueQueue(db: Database, slots: Slots): () => Promise<Found> {
  let after: string | null = null;

  return async () => {
    // Slots that become free during the read are for the next look. The page of endpoints is too dear to fill them.
    const free = Math.min(slots.free(), burst);
    const length = headOf(free);
    const head = await readDue(db, length);
    const chosen = slots.choose(head);
    if (head.length < length) return { chosen, hasMore: chosen.length < waiting(head), goesOn: false };
    if (chosen.length >= free) return { chosen, hasMore: true, goesOn: false };
    const page = await readDueByEndpoint(db, { after, endpoints: pageOfEndpoints, perEndpoint: free });
    after = page.next;
    return { chosen: slots.choose(unique([...head, ...page.due])), hasMore: true, goesOn: after !== null };
  };
}

const waiting = (due: readonly DueDelivery[]) => due.filter(({ circuit }) => circuit !== 'open').length;

function unique(due: readonly DueDelivery[]): DueDelivery[] {
  return [...new Map(due.map((delivery) => [delivery.id, delivery])).values()];
}
