import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Queryable } from './connection.ts';
import { type Refund, refundColumns } from './refunds.ts';
import type { RefundState } from './schema.ts';

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
