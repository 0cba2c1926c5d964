import { isDecision } from '@payments/domain/status';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';

/** One committed change of a payment: who or what made it, when and why. */
export type HistoryEntry = Awaited<ReturnType<typeof listHistory>>[number];

/** @returns a payment's events, oldest first; `author` is the name that the administrator gave */
export async function listHistory(db: Queryable, paymentId: string) {
  return db
    .selectFrom('events as e')
    .leftJoin('changes as c', 'c.eventId', 'e.id')
    .select(['e.id', 'sequence', 'type', 'status', 'previousStatus', 'actor', 'c.author'])
    .select(['e.reason', 'e.requestId', 'e.occurredAt'])
    .select(sql<boolean>`not exists (select from outbox where event_id = e.id)`.as('published'))
    .where('e.paymentId', '=', paymentId)
    .orderBy('sequence')
    .execute();
}

/** @returns whether somebody closed the payment, an administrator or its store, by its newest change of status */
export async function isCancelled(db: Queryable, paymentId: string): Promise<boolean> {
  const last = (await listHistory(db, paymentId)).findLast(({ previousStatus }) => previousStatus !== null);
  return last?.status === 'not_approved' && isDecision(last.actor);
}
