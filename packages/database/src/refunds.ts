import { sql } from 'kysely';
import type { Queryable } from './connection.ts';
import type { RefundState } from './schema.ts';

/** A devolução: money that goes back for a Pix received; amount in centavos. */
export type Refund = {
  id: string;
  endToEndId: string;
  paymentId: string;
  amount: number;
  origin: 'service' | 'bank';
  reason: string;
  state: RefundState;
  rtrId: string | null;
  tries: number;
  lastError: string | null;
  /** The failed refund that it was ordered instead of. */
  replaces: string | null;
  createdAt: Date;
  updatedAt: Date;
};

/** The columns of a {@link Refund}, for `select` and `returning`. */
export const refundColumns = [
  'refunds.id',
  'refunds.end_to_end_id as endToEndId',
  'payment_id as paymentId',
  'amount',
  'origin',
  'reason',
  'state',
  'rtr_id as rtrId',
  'tries',
  'last_error as lastError',
  'replaces',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const;

export type RefundOrder = {
  paymentIds: readonly string[];
  /** Those of the payments' Pix that go back; all of them unless told. */
  endToEndIds?: string[];
  reason: string;
  /** The failed refund that this one is ordered instead of. */
  replaces?: string;
  now: Date;
};

/**
 * Orders the refund of what is left of each of these Pix, once: a Pix that has a refund of ours that has not failed,
 * or that went back another way, is passed over. Recorded before the PSP is asked, so a crash asks again under the same id.
 * Call it with the payments locked.
 * @returns the refunds that are new
 */
export async function orderRefunds(
  trx: Queryable,
  { paymentIds, endToEndIds, reason, replaces, now }: RefundOrder,
): Promise<{ id: string; paymentId: string }[]> {
  const { rows } = await sql<{ id: string; paymentId: string }>`
    insert into refunds (id, end_to_end_id, payment_id, amount, origin, reason, state, try_at, replaces,
      created_at, updated_at)
    select replace(gen_random_uuid()::text, '-', ''), p.end_to_end_id, p.payment_id, p.amount - p.returned, 'service',
      ${reason}, 'requested', ${now}, ${replaces ?? null}, ${now}, ${now}
    from (
      select p.end_to_end_id, p.payment_id, p.amount, coalesce((select sum(r.amount) from refunds r
        where r.end_to_end_id = p.end_to_end_id and r.state <> 'failed'), 0)::bigint as returned
      from pix_received p
      where p.payment_id = any(${[...paymentIds]}::uuid[])
        and (${endToEndIds ?? null}::text[] is null or p.end_to_end_id = any(${endToEndIds ?? null}::text[]))
    ) p
    where p.amount > p.returned
    on conflict do nothing
    returning id, payment_id as "paymentId"`.execute(trx);
  return rows;
}

/** @returns a payment's refunds, first to last */
export async function listRefunds(db: Queryable, paymentId: string): Promise<Refund[]> {
  return listRefundsOf(db, [paymentId]);
}

/** @returns the refunds of several payments, first to last */
export async function listRefundsOf(db: Queryable, paymentIds: readonly string[]): Promise<Refund[]> {
  return db
    .selectFrom('refunds')
    .select(refundColumns)
    .where('payment_id', '=', sql<string>`any(${[...paymentIds]}::uuid[])`)
    .orderBy('created_at')
    .execute();
}
