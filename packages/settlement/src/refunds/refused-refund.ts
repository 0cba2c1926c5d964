import type { Queryable } from '@payments/database/connection';
import { lockPayment, type StoredPayment } from '@payments/database/payments/payments';
import { type Author, recordChange } from '@payments/database/record/changes';
import { insertRefundOrder, withdrawOrder } from '@payments/database/refunds/orders';
import { findRefundsToOrderAgain, type Refund } from '@payments/database/refunds/refunds';
import { inTransaction } from '@payments/database/transaction';
import { planRefunds } from '@payments/domain/refund-plan';
import { isRefundable, isRefundWindowOver, orderedByPerson } from '@payments/domain/refunds';
import { balanceHolder, balancePayment, lockHolder, type Money, readMoney } from '../balance.ts';
import type { SettlementContext } from '../context.ts';
import type { Refusal } from '../refusals.ts';
import { RefundRefused } from './order-refund.ts';

/** A person's decision on a refused refund. */
export type OnRefused = { paymentId: string; refundId: string; by: Author };

type Refused = { payment: StoredPayment; money: Money; failed: Refund };

/**
 * Locks a refused refund for a person's decision.
 * @returns what the decision returns; undefined if the payment has no such refund
 * @throws RefundRefused with the reason
 */
async function onRefused(
  { db }: SettlementContext,
  { paymentId, refundId }: OnRefused,
  decide: (trx: Queryable, refused: Refused) => Promise<Refund | undefined>,
): Promise<Refund | undefined> {
  return inTransaction(db, async (trx) => {
    const payment = await lockPayment(trx, paymentId);
    const money = payment && (await readMoney(trx, payment));
    const failed = money?.refunds.find(({ id }) => id === refundId);
    if (!payment || !money || !failed) return undefined;
    const refusal = refusalToRetry(failed, money.refunds, payment);
    if (refusal !== null) throw new RefundRefused(refusal);
    return decide(trx, { payment, money, failed });
  });
}

/**
 * Records a person's order of what a refused refund did not give back, as a new refund with its own id.
 * `carryOutRefunds` then asks the PSP for it.
 * @returns the new refund, or undefined if the payment has no such refund
 * @throws RefundRefused with the reason
 */
export async function orderRetry(context: SettlementContext, retry: OnRefused): Promise<Refund | undefined> {
  const { now, refundRetrySeconds: retrySeconds } = context;
  return onRefused(context, retry, async (trx, { payment, money, failed }) => {
    const at = now();
    const { paymentId, refundId, by } = retry;
    const pix = money.pix.find(({ endToEndId }) => endToEndId === failed.endToEndId);
    if (pix && isRefundWindowOver(pix, at)) throw new RefundRefused({ code: 'windowOver' });
    const plan = planRefunds(money, { retrySeconds, now: at });
    const planned = plan.find(({ replaces }) => replaces === refundId);
    if (!planned) throw new RefundRefused({ code: 'nothingOfPix' });
    const made = await insertRefundOrder(trx, {
      ...planned,
      paymentId,
      note: failed.note,
      reorders: 0,
      tokenId: null,
      now: at,
    });
    const [from, to] = [{ refundId }, { refundId: made.id, amount: made.amount }];
    const about = { at, storeId: payment.storeId, paymentId, subject: failed.endToEndId };
    await recordChange(trx, by, { action: 'refund.ordered_anew', ...about, from, to });
    await balancePayment(trx, context, payment);
    return made;
  });
}

/**
 * Withdraws a person's order of a refund that the bank refused: the money stays the store's, and can be paid out.
 * @returns the refund, or undefined if the payment has no such refund
 * @throws RefundRefused with the reason
 */
export async function withdrawRefund(
  context: SettlementContext,
  withdrawal: OnRefused,
): Promise<Refund | undefined> {
  return onRefused(context, withdrawal, async (trx, { payment, failed: refund }) => {
    const { paymentId, refundId, by } = withdrawal;
    if (!isOfPerson(refund, payment)) throw new RefundRefused({ code: 'ofPayer' });
    await withdrawOrder(trx, refund);
    const { endToEndId: subject, amount } = refund;
    const about = { at: context.now(), storeId: payment.storeId, paymentId, subject };
    await recordChange(trx, by, { action: 'refund.withdrawn', ...about, from: { refundId, amount } });
    await balancePayment(trx, context, payment);
    return (await readMoney(trx, payment)).refunds.find(({ id }) => id === refundId);
  });
}

/** @returns whether a person decided the refund and may withdraw it; the payer has a right to any other */
export function isOfPerson(
  { reason }: Pick<Refund, 'reason'>,
  { status }: Pick<StoredPayment, 'status'>,
): boolean {
  return reason === orderedByPerson && isRefundable(status);
}

/** @returns the reason why a refund may not be ordered again, given the payment's other refunds; null if it may */
export function refusalToRetry(
  failed: Refund,
  refunds: readonly Refund[],
  { status }: Pick<StoredPayment, 'status'>,
): Refusal | null {
  if (failed.origin === 'bank') return { code: 'ofBank' };
  if (failed.state !== 'failed') return { code: 'notRefused' };
  const isReplaced = refunds.some(({ replaces }) => replaces === failed.id);
  if (isReplaced) return { code: 'orderedAlready' };
  if (failed.owed !== null || failed.orderAgainAt !== null) return null;
  if (failed.wanted === 0) return { code: 'ended' };
  return { code: 'notOwed', status };
}

/**
 * Orders refused refunds again when their pause is over. Any number of replicas may run it: the second one finds the
 * order made.
 * @returns how many were checked
 */
export async function orderRefusedAgain(context: SettlementContext, limit: number): Promise<number> {
  const due = await findRefundsToOrderAgain(context.db, { now: context.now(), limit });
  for (const refund of due) {
    await inTransaction(context.db, async (trx) =>
      balanceHolder(trx, context, await lockHolder(trx, refund)),
    ).catch((error: unknown) =>
      context.log.warn({ err: error, ...refund }, 'a refused refund could not be ordered anew; trying again'),
    );
  }
  return due.length;
}
