import type { PaymentEvent } from '@payments/domain/events';
import { anyOf } from './arrays.ts';
import type { Database, Queryable } from './connection.ts';

export type OutboxEvent = {
  event: PaymentEvent;
  storeId: string;
  requestId: string | null;
  /** The W3C `traceparent` of what caused it, where that was traced. */
  traceParent: string | null;
};

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
    const batch = await claimUnpublished(trx, limit);
    if (batch.length === 0) return 0;
    const published = await publish(batch);
    if (published.length === 0) return 0;
    await trx
      .updateTable('events')
      .set({ published_at: new Date() })
      .where('id', '=', anyOf(published))
      .execute();
    return published.length;
  });
}

async function claimUnpublished(trx: Queryable, limit: number): Promise<OutboxEvent[]> {
  const rows = await trx
    .selectFrom('events')
    .select(['id', 'type', 'sequence', 'occurred_at', 'payload', 'previous_status', 'store_id', 'request_id'])
    .select('trace_parent')
    .where('published_at', 'is', null)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
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
