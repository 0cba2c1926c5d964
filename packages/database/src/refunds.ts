import { randomUUID } from 'node:crypto';
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

const refundColumns = [
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

export type ClaimedRefund = Refund & { claimId: string };

/** Claims refunds that are due to be asked for, or asked after, at the PSP; the lease is `try_at` itself. */
export async function claimDueRefunds(
  db: Queryable,
  { limit, leaseMs, now, paymentId }: { limit: number; leaseMs: number; now: Date; paymentId?: string },
): Promise<ClaimedRefund[]> {
  const claimId = randomUUID();
  const leaseEnd = new Date(now.getTime() + leaseMs);
  const rows = await db
    .with('due', (qb) => {
      const refunds = qb.selectFrom('refunds').select(['end_to_end_id', 'id']);
      // Of one payment, `is true`, so that no plan goes through all that are due.
      const due =
        paymentId === undefined
          ? refunds.where('try_at', '<=', now)
          : refunds.where('payment_id', '=', paymentId).where(sql<boolean>`(try_at <= ${now}) is true`);
      return due.orderBy('try_at').limit(limit).forUpdate().skipLocked();
    })
    .updateTable('refunds')
    .from('due')
    .set((eb) => ({ try_at: leaseEnd, claim_id: claimId, tries: eb('tries', '+', 1) }))
    .where('refunds.end_to_end_id', '=', sql<string>`any(array(select end_to_end_id from due))`)
    .whereRef('refunds.id', '=', 'due.id')
    .whereRef('refunds.end_to_end_id', '=', 'due.end_to_end_id')
    .returning(refundColumns)
    .execute();
  return rows.map((row) => ({ ...row, claimId }));
}

/** Puts a refund off, after the PSP could not be asked, or has not finished. */
export async function postponeRefund(
  db: Queryable,
  refund: ClaimedRefund,
  { tryAt, error }: { tryAt: Date; error: string | null },
): Promise<void> {
  await db
    .updateTable('refunds')
    .set({ try_at: tryAt, claim_id: null, last_error: error })
    .where('end_to_end_id', '=', refund.endToEndId)
    .where('id', '=', refund.id)
    .where('claim_id', '=', refund.claimId)
    .execute();
}

export type RefundProgress = {
  id: string;
  endToEndId: string;
  state: RefundState;
  rtrId: string | null;
  error: string | null;
  tryAt: Date | null;
  now: Date;
};

/** Enters what the PSP says of a refund. What is final stays final. @returns whether anything changed */
export async function recordRefundProgress(trx: Queryable, progress: RefundProgress): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('refunds')
    .set({
      state: progress.state,
      rtr_id: progress.rtrId,
      last_error: progress.error,
      try_at: progress.tryAt,
      claim_id: null,
      updated_at: progress.now,
    })
    .where('end_to_end_id', '=', progress.endToEndId)
    .where('id', '=', progress.id)
    .where('state', 'not in', ['refunded', 'failed'])
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Makes a refund that was never accepted smaller; one of nothing at all has failed. */
export async function reduceRefund(
  trx: Queryable,
  refund: ClaimedRefund,
  { amount, now }: { amount: number; now: Date },
): Promise<void> {
  const nothing = { state: 'failed' as const, last_error: 'all of it had gone back already', try_at: null };
  await trx
    .updateTable('refunds')
    .set({ claim_id: null, updated_at: now, ...(amount > 0 ? { amount, try_at: now } : nothing) })
    .where('end_to_end_id', '=', refund.endToEndId)
    .where('id', '=', refund.id)
    .where('state', '=', 'requested')
    .execute();
}

/**
 * @param listed refunds as the PSP lists them, by their Pix
 * @returns the endToEndIds of those of which we know some refund not at all, or in another state that is not final
 */
export async function findPixWithOtherRefunds(
  db: Queryable,
  listed: readonly { endToEndId: string; id: string; state: RefundState }[],
): Promise<string[]> {
  if (listed.length === 0) return [];
  const { rows } = await sql<{ end_to_end_id: string }>`
    select distinct end_to_end_id from unnest(${listed.map(({ endToEndId }) => endToEndId)}::text[],
      ${listed.map(({ id }) => id)}::text[], ${listed.map(({ state }) => state)}::text[])
      as listed (end_to_end_id, id, state)
    where not exists (select from refunds r where r.end_to_end_id = listed.end_to_end_id and r.id = listed.id
      and (r.state = listed.state or r.state in ('refunded', 'failed')) offset 0)`.execute(db);
  return rows.map((row) => row.end_to_end_id);
}

export type BankRefund = {
  id: string;
  endToEndId: string;
  paymentId: string;
  amount: number;
  reason: string;
  state: RefundState;
  rtrId: string | null;
  now: Date;
};

/** Enters a refund that the bank started itself, a MED (API Pix 2.9 `natureza`). @returns false when it was known */
export async function insertBankRefund(trx: Queryable, refund: BankRefund): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('refunds')
    .values({
      id: refund.id,
      end_to_end_id: refund.endToEndId,
      payment_id: refund.paymentId,
      amount: refund.amount,
      origin: 'bank',
      reason: refund.reason,
      state: refund.state,
      rtr_id: refund.rtrId,
      try_at: null,
      claim_id: null,
      last_error: null,
      replaces: null,
      created_at: refund.now,
      updated_at: refund.now,
    })
    .onConflict((oc) => oc.columns(['end_to_end_id', 'id']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}
