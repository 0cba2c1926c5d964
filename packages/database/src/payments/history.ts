import { isDecision } from '@payments/domain/status';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';

/** One committed change of a payment or of its refunds: who or what made it, when and why. */
export type HistoryEntry = Awaited<ReturnType<typeof listHistory>>[number];

/** @returns a payment's events, oldest first; `author` is the name that the administrator gave */
export async function listHistory(db: Queryable, paymentId: string) {
  return db
    .selectFrom('events as e')
    .leftJoin('changes as c', 'c.eventId', 'e.id')
    .select(['e.id', 'sequence', 'type', 'status', 'previousStatus', 'actor', 'c.author'])
    .select(['e.reason', 'e.requestId', 'e.occurredAt', 'e.refund'])
    .select(sql<boolean>`not exists (select from outbox where event_id = e.id)`.as('published'))
    .where('e.paymentId', '=', paymentId)
    .orderBy('sequence')
    .execute();
}

/** Tells the creation and the changes of status from what else changed. */
export const isOfStatus = ({ type }: Pick<HistoryEntry, 'type'>): boolean =>
  type === 'payment.created' || type === 'payment.status_changed';

/** @returns whether somebody closed the payment, an administrator or its store, by its newest change of status */
export async function isCancelled(db: Queryable, paymentId: string): Promise<boolean> {
  const last = (await listHistory(db, paymentId)).findLast(isOfStatus);
  return last?.status === 'not_approved' && isDecision(last.actor);
}
