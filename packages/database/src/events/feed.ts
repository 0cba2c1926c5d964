import type { EventType, WebhookContent } from '@payments/domain/events';
import type { Queryable } from '../connection.ts';
import { anyOf } from '../filters.ts';
import { run } from '../run.ts';

/**
 * A place in a store's feed, after an event: where the next page begins (Contract: feed). Places grow in the order in
 * which transactions began to write. The sequence and the id order events of one place.
 */
export type FeedPlace = { place: string; sequence: number; id: string };

/** An event as the feed shows it. */
export type FedEvent = FeedPlace & WebhookContent & { occurredAt: Date; paymentId: string };

export type FeedPage = {
  storeId: string;
  after: FeedPlace;
  /** Leaves out what occurred earlier. */
  from?: Date | undefined;
  type?: EventType | undefined;
  limit: number;
};

/** A store has one turn of reads: a page passes over so many of its events at most, whatever their type and time. */
const passedAtMost = 20_000;

// The horizon is read in the statement's own snapshot: no transaction that it does not see has a lower place. The last
// event that a page may pass over is among its rows, so that the next page begins there.
const page = ({ among = 'true', wanted = 'true' }) => `
  select id, type, occurred_at, payment_id, place::text, sequence, payload::text as payment, previous_status,
    previous::text, refund::text, is_wanted
  from (
    select *, ${wanted} and occurred_at >= $6 as is_wanted, row_number() over (order by place, sequence, id) as passed
    from events
    where store_id = $1 and (place, sequence, id) > ($2, $3, $4) and place < feed_horizon() and ${among}
    order by place, sequence, id limit ${passedAtMost}) events
  where is_wanted or passed = ${passedAtMost}
  order by events.place, sequence, id limit $5`;
const pages: Record<EventType | 'all', string> = {
  all: page({}),
  'payment.created': page({ wanted: `type = 'payment.created'` }),
  'payment.status_changed': page({ wanted: `type = 'payment.status_changed'` }),
  // An index by type has these: only they are passed over.
  'payment.updated': page({ among: `type = 'payment.updated'` }),
  'refund.updated': page({ among: `type = 'refund.updated'` }),
};

/**
 * Reads on in a store's feed, none twice, whoever commits meanwhile.
 * @returns events that follow a place, in the feed's order, and the place that was reached: behind the last of them, or
 * further on where a page passed over all that it may
 */
export async function readFeed(
  db: Queryable,
  { storeId, after, from, type, limit }: FeedPage,
): Promise<{ events: FedEvent[]; reached: FeedPlace }> {
  const values = [storeId, after.place, after.sequence, after.id, limit, from ?? new Date(0)];
  const rows = await run<FedEvent & { isWanted: boolean }>(db, pages[type ?? 'all'], values);
  return { events: rows.filter(({ isWanted }) => isWanted), reached: rows.at(-1) ?? after };
}

/** The begin of every feed. */
export const feedStart: FeedPlace = {
  place: '0',
  sequence: 0,
  id: '00000000-0000-0000-0000-000000000000',
};

/** @returns a place before which all events of a store occurred earlier than `from`, and all but few that did */
export async function findFeedPlace(db: Queryable, storeId: string, from: Date): Promise<FeedPlace> {
  const [found] = await run<{ place: string }>(db, 'select feed_place_at($1, $2)::text as place', [
    storeId,
    from,
  ]);
  return { ...feedStart, place: found?.place ?? '0' };
}

/**
 * Keeps places growing when the database moves to another server, whose transactions count from 1: the feed then counts
 * its timelines on. Within a server, the write-ahead log counts them (see the migration).
 */
export async function followServer(db: Queryable): Promise<void> {
  await run(db, keepGrowing, []);
}

const keepGrowing = `
  update feed_origin set timelines_before = timelines_before + 4096, system_identifier = server.system_identifier
  from pg_control_system() server
  where feed_origin.system_identifier <> server.system_identifier`;

/** @returns those of these ids whose events the database has */
export async function findKnownEvents(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.selectFrom('events').select('id').where('id', '=', anyOf(ids)).execute();
  return new Set(rows.map(({ id }) => id));
}
