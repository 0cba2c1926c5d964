import type { EventType } from '@payments/domain/events';
import type { PaymentStatus } from '@payments/domain/status';
import type { Queryable } from './connection.ts';

/** One change of a payment, as it was committed: who or what did it, when and why. */
export type HistoryEntry = {
  id: string;
  sequence: number;
  type: EventType;
  status: PaymentStatus;
  previousStatus: PaymentStatus | null;
  actor: string;
  reason: string | null;
  requestId: string | null;
  occurredAt: Date;
  publishedAt: Date | null;
};

/** @returns a payment's events, first to last */
export async function listHistory(db: Queryable, paymentId: string): Promise<HistoryEntry[]> {
  return db
    .selectFrom('events')
    .select(['id', 'sequence', 'type', 'status', 'previous_status as previousStatus', 'actor', 'reason'])
    .select(['request_id as requestId', 'occurred_at as occurredAt', 'published_at as publishedAt'])
    .where('payment_id', '=', paymentId)
    .orderBy('sequence')
    .execute();
}
