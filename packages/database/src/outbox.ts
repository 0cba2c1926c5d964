import type { PaymentEvent } from '@payments/domain/events';
import { type RawBuilder, sql } from 'kysely';
import type { Database, Queryable } from './connection.ts';
import type { EventsTable } from './schema.ts';

export type OutboxEvent = {
  event: PaymentEvent;
  storeId: string;
  requestId: string | null;
  /** The W3C `traceparent` of what caused it, where that was traced. */
  traceParent: string | null;
};

/** The last part of a statement whose `event` inserts an event: leaves it to be published, in the same commit. */
export const leaveToPublish: RawBuilder<unknown> = sql`insert into outbox (event_id) select id from event`;

/**
 * Publishes one batch of committed events that no relay has published yet. Rows are claimed by lock, never by
 * "id greater than the last": ids of transactions that commit late would be skipped.
 * @param publish sends the events and returns the ids that the broker has stored; a crash after it and before the
 *   commit here publishes them once more, under the same ids
 * @returns how many were published
 */
export async function relayBatch(
  db: Database,
  limit: number,
  publish: (events: OutboxEvent[]) => Promise<string[]>,
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const batch = await takeUnpublished(trx, limit);
    if (batch.length === 0) return 0;
    const published = new Set(await publish(batch));
    const left = batch.map(({ event }) => event.id).filter((id) => !published.has(id));
    if (left.length > 0) await putBack(trx, left);
    return published.size;
  });
}

type TakenRow = Pick<
  EventsTable,
  'id' | 'type' | 'sequence' | 'previous_status' | 'store_id' | 'request_id' | 'trace_parent'
> & { occurred_at: Date; payload: PaymentEvent['payment'] };

async function takeUnpublished(trx: Queryable, limit: number): Promise<OutboxEvent[]> {
  const { rows } = await sql<TakenRow>`
    with taken as (
      delete from outbox where event_id in (
        select event_id from outbox order by event_id limit ${limit} for update skip locked
      ) returning event_id
    )
    select e.id, e.type, e.sequence, e.occurred_at, e.payload, e.previous_status, e.store_id, e.request_id, e.trace_parent
    from taken join events e on e.id = taken.event_id order by e.id`.execute(trx);
  return rows.map((row) => ({
    storeId: row.store_id,
    requestId: row.request_id,
    traceParent: row.trace_parent,
    event: {
      id: row.id,
      type: row.type,
      sequence: row.sequence,
      occurredAt: row.occurred_at.toISOString(),
      payment: row.payload,
      ...(row.previous_status ? { previousStatus: row.previous_status } : {}),
    },
  }));
}

async function putBack(trx: Queryable, ids: string[]): Promise<void> {
  await sql`insert into outbox (event_id) select unnest(${ids}::uuid[])`.execute(trx);
}
