import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';

/** One change of a payment, as it was committed: who or what did it, when and why. */
export type HistoryEntry = Awaited<ReturnType<typeof listHistory>>[number];

/** @returns a payment's events, first to last; `author` is the administrator who did it, as they call themselves */
export async function listHistory(db: Queryable, paymentId: string) {
  return db
    .selectFrom('events as e')
    .leftJoin('changes as c', 'c.event_id', 'e.id')
    .select(['e.id', 'sequence', 'type', 'status', 'previous_status as previousStatus', 'actor', 'c.author'])
    .select(['e.reason', 'e.request_id as requestId', 'e.occurred_at as occurredAt'])
    .select(sql<boolean>`not exists (select from outbox where event_id = e.id)`.as('published'))
    .where('e.payment_id', '=', paymentId)
    .orderBy('sequence')
    .execute();
}

/** @returns whether it was an administrator who gave the payment up, by its newest event */
export async function hasAdministratorClosed(db: Queryable, paymentId: string): Promise<boolean> {
  const last = await db
    .selectFrom('events')
    .select(['actor', 'status'])
    .where('payment_id', '=', paymentId)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.status === 'not_approved' && last.actor === 'administrator';
}
