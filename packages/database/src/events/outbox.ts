import type { CommittedEvent, PaymentEvent } from '@payments/domain/events';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database, Queryable } from '../connection.ts';
import type { Schema } from '../schema.ts';

/** Deletes events that the broker has stored, and skips those that are gone. */
export async function removePublished(db: Queryable, eventIds: string[]): Promise<void> {
  // No wait for the disk: if a server crash undoes the deletion, the event is repeated under the same id.
  await sql`
    delete from outbox where event_id = any(${eventIds}::uuid[])
      and (select set_config('synchronous_commit', 'off', true)) = 'off'`.execute(db);
}

// The process that commits an event publishes it within milliseconds, if NATS is up.
const left = sql<Date>`now() - interval '2 seconds'`;

/**
 * Publishes one batch of committed events that a crashed process left, or that waited for NATS. It claims rows by lock:
 * "later than the last" would skip rows of transactions that commit late.
 * @param before excludes events written after this moment: their own process is about to publish them
 * @param publish sends them, and returns the ids that the broker has stored; after a crash before the commit here they are
 * sent again, under the same ids
 * @returns how many were published
 */
export async function sweepOutbox(
  db: Database,
  { before = left, limit }: { before?: Date | RawBuilder<Date>; limit: number },
  publish: (events: CommittedEvent[]) => Promise<string[]>,
): Promise<number> {
  // Nearly always nothing is left: that costs no transaction.
  if (!(await isLeft(db, before))) return 0;
  return db.transaction().execute(async (trx) => {
    const batch = await takeLeft(trx, before, limit);
    if (batch.length === 0) return 0;
    const published = await publish(batch);
    await removePublished(trx, published);
    return published.length;
  });
}

async function isLeft(db: Database, before: Date | RawBuilder<Date>): Promise<boolean> {
  const { rows } = await sql`select from outbox where created_at < ${before} limit 1`.execute(db);
  return rows.length > 0;
}

type TakenRow = Pick<
  Selectable<Schema['events']>,
  | 'id'
  | 'type'
  | 'sequence'
  | 'previousStatus'
  | 'previous'
  | 'refund'
  | 'storeId'
  | 'requestId'
  | 'traceParent'
> & { occurredAt: Date; payload: PaymentEvent['payment']; hasDelivery: boolean };

async function takeLeft(
  trx: Queryable,
  before: Date | RawBuilder<Date>,
  limit: number,
): Promise<CommittedEvent[]> {
  const { rows } = await sql<TakenRow>`
    with taken as (
      select event_id from outbox where created_at < ${before}
      order by created_at limit ${limit} for update skip locked
    )
    select e.id, e.type, e.sequence, e.occurred_at, e.payload, e.previous_status, e.previous, e.refund, e.store_id,
      e.request_id, e.trace_parent, exists (select from deliveries d where d.id = e.id) as has_delivery
    from events e
    where e.id = any(array(select event_id from taken)) order by e.occurred_at, e.sequence, e.id`.execute(
    trx,
  );
  return rows.map(({ storeId, requestId, traceParent, hasDelivery, ...row }) => {
    const { id, type, sequence, occurredAt, payload: payment, previousStatus, previous, refund } = row;
    const details = {
      ...(previousStatus && { previousStatus }),
      ...(previous && { previous }),
      ...(refund && { refund }),
    };
    const event = { id, type, sequence, occurredAt: occurredAt.toISOString(), payment, ...details };
    return { event, storeId, requestId, traceParent, hasDelivery };
  });
}
