import type { PaymentEvent } from '@payments/domain/events';
import { firstIdOf } from '@payments/domain/identifiers';
import { type RawBuilder, sql } from 'kysely';
import type { Database, Queryable } from '../connection.ts';
import type { EventsTable } from '../schema.ts';
import { onEventCommitted } from '../transaction.ts';

/** An event as it is published: what was committed, with whose it is and what caused it. */
export type OutboxEvent = {
  event: PaymentEvent;
  storeId: string;
  requestId: string | null;
  /** The W3C `traceparent` of what caused it, where that was traced. */
  traceParent: string | null;
  /** Whether it is delivered: those of a payment without a webhookUrl are not. */
  hasDelivery: boolean;
};

/** The last part of a statement whose `event` inserts an event: leaves it to be published, in the same commit. */
export const leaveToPublish: RawBuilder<unknown> = sql`insert into outbox (event_id) select id from event`;

/** What a process does with the outbox, beside writing to it. */
export type Outbox = {
  /** Tells of every event that this process commits, as it was committed. */
  onCommitted(listener: (event: OutboxEvent) => void): void;
  /** Takes out events that the broker has stored. */
  remove(eventIds: string[]): Promise<void>;
  /** Publishes a batch of what others left, see {@link sweepOutbox}. */
  sweep(limit: number, publish: PublishBatch): Promise<number>;
};

/** Sends events and returns the ids that the broker has stored. */
export type PublishBatch = (events: OutboxEvent[]) => Promise<string[]>;

// Whoever committed an event publishes it within milliseconds, while it lives and NATS is there.
const leftAfterMs = 2_000;

export function outboxOf(db: Database): Outbox {
  return {
    onCommitted: (listener) => onEventCommitted(db, listener),
    remove: (eventIds) => removePublished(db, eventIds),
    sweep: (limit, publish) =>
      sweepOutbox(db, { before: new Date(Date.now() - leftAfterMs), limit }, publish),
  };
}

/** Takes events out of the outbox that the broker has stored; those that are gone already are passed over. */
export async function removePublished(db: Database, eventIds: readonly string[]): Promise<void> {
  // Not worth a wait for the disk: a removal that a crash of the server undoes is a repeat under the same id.
  await sql`
    delete from outbox where event_id = any(${[...eventIds]}::uuid[])
      and (select set_config('synchronous_commit', 'off', true)) = 'off'`.execute(db);
}

/**
 * Publishes one batch of committed events that were left: by a process that crashed, or while NATS was away. Rows are
 * claimed by lock, never by "id greater than the last": ids of transactions that commit late would be skipped.
 * @param before takes only events whose ids were made before this moment, so that those which their own process is
 *   about to publish are left to it. Ids tell the time of whoever made them: a clock that is wrong delays or repeats
 * @param publish a crash after it and before the commit here publishes them once more, under the same ids
 * @returns how many were published
 */
export async function sweepOutbox(
  db: Database,
  { before, limit }: { before: Date; limit: number },
  publish: PublishBatch,
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const batch = await takeLeft(trx, before, limit);
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
> & { occurred_at: Date; payload: PaymentEvent['payment']; has_delivery: boolean };

async function takeLeft(trx: Queryable, before: Date, limit: number): Promise<OutboxEvent[]> {
  const { rows } = await sql<TakenRow>`
    with taken as (
      delete from outbox where event_id in (
        select event_id from outbox where event_id < ${firstIdOf(before)}
        order by event_id limit ${limit} for update skip locked
      ) returning event_id
    )
    select e.id, e.type, e.sequence, e.occurred_at, e.payload, e.previous_status, e.store_id, e.request_id, e.trace_parent,
      p.webhook_url is not null as has_delivery
    from events e cross join lateral (select webhook_url from payments where id = e.payment_id limit 1) p
    where e.id = any(array(select event_id from taken)) order by e.id`.execute(trx);
  return rows.map((row) => ({
    storeId: row.store_id,
    requestId: row.request_id,
    traceParent: row.trace_parent,
    hasDelivery: row.has_delivery,
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
