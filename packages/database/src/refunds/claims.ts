import type { RefundError, RefundRule } from '@payments/domain/bank-error';
import { sql } from 'kysely';
import { endOf, isFreeOf, type LeaseAtBank } from '../claims.ts';
import type { Queryable } from '../connection.ts';
import { given } from '../filters.ts';
import { nothingOpen, type Refund, refundColumns } from './refunds.ts';

export type Claim = LeaseAtBank & {
  /** Only refunds of this payment, or of this Pix. */
  paymentId?: string;
  endToEndId?: string;
};

/** Claims refunds that are due to be ordered or checked at the PSP. The lease is `try_at`. */
export async function claimDueRefunds(
  db: Queryable,
  { paymentId, endToEndId, ...lease }: Claim,
): Promise<Refund[]> {
  const due = db
    .selectFrom('refunds')
    .where(({ and }) => and(given({ bank: lease.bank, paymentId, endToEndId })))
    .where('tryAt', '<=', lease.now)
    .orderBy('tryAt')
    .limit(lease.limit);
  return db
    .updateTable('refunds')
    .set((eb) => ({ tryAt: endOf(lease), tries: eb('tries', '+', 1) }))
    .where(isFreeOf(due))
    .returning(refundColumns)
    .execute();
}

/** The words of the bank on a refund stay while it says nothing else. */
const ownWords = sql<RefundError | null>`case when last_error ->> 'code' = 'told' then last_error end`;

/**
 * Reschedules a claimed refund that the PSP did not respond to, or has not finished; `looks` counts the responses in a
 * row that did not show it. It stays as it is if it moved meanwhile, or is another claim's: each claim counts a try.
 */
export async function postponeRefund(
  db: Queryable,
  { endToEndId, id, tries, state }: Refund,
  { tryAt, error, looks }: { tryAt: Date; error: RefundError | null; looks?: number },
): Promise<void> {
  await db
    .updateTable('refunds')
    .set({ tryAt, lastError: error ?? ownWords, ...(looks !== undefined && { looks }) })
    .where(({ and }) => and({ endToEndId, id, tries, state }))
    .execute();
}

/** The bank shows the refund: responses that did not show it count no more. */
export async function forgetLooks(
  trx: Queryable,
  { endToEndId, id }: Pick<Refund, 'endToEndId' | 'id'>,
): Promise<void> {
  await trx
    .updateTable('refunds')
    .set({ looks: 0 })
    .where(({ and }) => and({ endToEndId, id }))
    .execute();
}

/** The PSP's state of a refund; `amount` is what it gives back, in centavos. */
export type RefundProgress = Pick<Refund, 'id' | 'endToEndId' | 'state' | 'amount' | 'rtrId'> & {
  error: RefundError | null;
  /** When the bank gave the money back; only with the state `refunded`. */
  madeAt: Date | null;
  /** True for a failure that the bank has not told: the service concluded it. */
  concluded?: boolean;
  tryAt: Date | null;
  now: Date;
};

/**
 * Records the PSP's state of a refund. A final state stays, with two exceptions: `refunded` replaces any failure, and
 * `processing` one that the service concluded by itself.
 * @returns whether anything changed
 */
export async function recordRefundProgress(trx: Queryable, progress: RefundProgress): Promise<boolean> {
  const { id, endToEndId, state, amount, rtrId, madeAt, tryAt, error: lastError, now: updatedAt } = progress;
  const { concluded = false } = progress;
  const { numUpdatedRows } = await trx
    .updateTable('refunds')
    .set({ state, amount, madeAt, tryAt, concluded, looks: 0 })
    .set({
      rtrId: sql`coalesce(${rtrId}, rtr_id)`,
      // A failure's reason ends with the failure.
      lastError: lastError ?? sql`case when state <> 'failed' then ${ownWords} end`,
      updatedAt: sql`case when state = ${state} and amount = ${amount} then updated_at else ${updatedAt} end`,
    })
    .where(({ and }) => and({ endToEndId, id }))
    .where('state', '<>', 'refunded')
    .where(
      sql<boolean>`(state <> 'failed' or ${state} = 'refunded' or (${state} = 'processing' and concluded))`,
    )
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Facts that the bank may tell of a refund later than its state. */
export type RefundDetails = Partial<Pick<Refund, 'madeAt' | 'rtrId' | 'reason' | 'lastError'>>;

/**
 * Adds what the bank's earlier answers lacked. Its time replaces ours, which is the time of the last change. Lock the
 * payment first: a new time moves its figures to another day.
 * @param known the refund; one that has moved since stays as it is
 */
export async function completeRefund(
  trx: Queryable,
  { endToEndId, id, state }: Refund,
  details: RefundDetails,
): Promise<void> {
  await trx
    .updateTable('refunds')
    .set(details)
    .where(({ and }) => and({ endToEndId, id, state }))
    .$if(details.madeAt !== undefined, (update) => update.whereRef('madeAt', '=', 'updatedAt'))
    .execute();
}

/**
 * Lowers the amount of a refund that was never accepted. With nothing left, it has failed, unless the bank says otherwise.
 */
export async function reduceRefund(
  trx: Queryable,
  { endToEndId, id }: Refund,
  { amount, now }: { amount: number; now: Date },
): Promise<void> {
  const lastError = { code: 'returned_already' as const };
  const nothing = { state: 'failed' as const, concluded: true, lastError, tryAt: null };
  await trx
    .updateTable('refunds')
    .set({ updatedAt: now, ...(amount > 0 ? { amount, tryAt: now } : nothing) })
    .where(({ and }) => and({ endToEndId, id, state: 'requested' }))
    .execute();
}

/**
 * Ends an order of a named amount that fits no more, or of a refund that the bank made after all. It is not ordered again;
 * the bank's word may still revive it.
 */
export async function endOrder(
  trx: Queryable,
  { endToEndId, id }: Pick<Refund, 'endToEndId' | 'id'>,
  { reason, now }: { reason: RefundRule | 'returned_already'; now: Date },
): Promise<void> {
  await trx
    .updateTable('refunds')
    .set({ wanted: 0, lastError: { code: reason }, tryAt: null, ...nothingOpen })
    .set({ state: 'failed', concluded: sql<boolean>`concluded or state = 'requested'` })
    .set({ updatedAt: sql`case when state = 'failed' then updated_at else ${now} end` })
    .where(({ and }) => and({ endToEndId, id }))
    .where('state', 'in', ['requested', 'failed'])
    .execute();
}

/** Stores what a return took from its approved payment. Lock the payment first. */
export async function setGivenBack(
  trx: Queryable,
  { endToEndId, id }: Pick<Refund, 'endToEndId' | 'id'>,
  givenBack: number,
): Promise<void> {
  await trx
    .updateTable('refunds')
    .set({ givenBack })
    .where(({ and }) => and({ endToEndId, id }))
    .execute();
}
