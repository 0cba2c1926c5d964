import { sql } from 'kysely';
import { batched } from '../batching.ts';
import type { Queryable } from '../connection.ts';
import { anyOf } from '../filters.ts';
import { type StoredPayment, storedPayments } from './payments.ts';

/** A payment, the Pix that came for it, oldest first, and what went back of all of them; amounts in centavos. */
export type PaymentWithPix = StoredPayment & {
  pix: { endToEndId: string; amount: number; paidAt: Date }[];
  refundedAmount: number;
};

/**
 * Reads payments with their Pix in one statement. It reads the payments again, so that `amount` and `refundedAmount` are
 * of one moment: a refund between two statements would be in one of them alone.
 * @returns the payments with these ids, newest first
 */
export async function findPaymentsWithPix(db: Queryable, ids: readonly string[]): Promise<PaymentWithPix[]> {
  const rows = await storedPayments(db)
    .select([pixOfPayment.as('pix'), refundedOfPayment.as('refundedAmount')])
    .where('id', '=', anyOf(ids))
    .orderBy('id', 'desc')
    .execute();
  // JSON carries times as text.
  const withTime = (one: PixAsJson) => ({ ...one, paidAt: new Date(one.paidAt) });
  return rows.map((row) => ({ ...row, pix: row.pix.map(withTime) }));
}

/** Reads one payment so; undefined if there is none. Concurrent reads share one statement. */
export const findPaymentWithPix = batched(async (db: Queryable, ids: string[]) => {
  const found = new Map((await findPaymentsWithPix(db, ids)).map((one) => [one.id, one]));
  return ids.map((id) => found.get(id));
});

type PixAsJson = { endToEndId: string; amount: number; paidAt: string };

const pixOfPayment = sql<PixAsJson[]>`coalesce((
  select json_agg(json_build_object('endToEndId', x.end_to_end_id, 'amount', x.amount, 'paidAt', x.paid_at)
    order by x.received_at, x.paid_at, x.end_to_end_id)
  from pix_received x where x.payment_id = payments.id), '[]')`;

const refundedOfPayment = sql<number>`coalesce((
  select sum(r.amount) from refunds r where r.payment_id = payments.id and r.state = 'refunded'), 0)::bigint`;

/** A payment with the Pix that paid it: the one that counts, else the first; null before there is one. */
export type PaidPayment = StoredPayment & { paidBy: { endToEndId: string; paidAt: Date } | null };

/** @returns the payments with the Pix that paid them, in their order, by one statement for all */
export async function withPayingPix(
  db: Queryable,
  payments: readonly StoredPayment[],
): Promise<PaidPayment[]> {
  const rows = await db
    .selectFrom('pixReceived')
    .distinctOn('paymentId')
    .select(['paymentId', 'endToEndId', 'paidAt'])
    .where('paymentId', '=', anyOf(payments.map(({ id }) => id)))
    .orderBy('paymentId')
    .orderBy(sql`effect in ('approved', 'review')`, 'desc')
    .orderBy('receivedAt')
    .orderBy('paidAt')
    .execute();
  const byPayment = new Map(rows.map(({ paymentId, ...pix }) => [paymentId, pix]));
  return payments.map((payment) => ({ ...payment, paidBy: byPayment.get(payment.id) ?? null }));
}
