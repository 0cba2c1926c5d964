import type { Queryable } from '@payments/database/connection';
import { type Author, recordChange } from '@payments/database/operations/changes';
import { lockPayment, type StoredPayment } from '@payments/database/payments/payments';
import { insertRefundOrder } from '@payments/database/refunds/orders';
import type { Refund } from '@payments/database/refunds/refunds';
import { inTransaction } from '@payments/database/transaction';
import { planRefunds } from '@payments/domain/refund-plan';
import { balance, type Money, readMoney } from './balance.ts';
import type { SettlementContext } from './context.ts';
import { RefundRefused } from './order-refund.ts';
import { refusals } from './refusals.ts';

export type RefundRetry = {
  paymentId: string;
  /** The failed refund. */
  refundId: string;
  by: Author;
};

/**
 * Records a person's order of what a refused refund did not give back, as a new refund with its own id.
 * `carryOutRefunds` then asks the PSP for it.
 * @returns the new refund, or undefined if the payment has no such refund
 * @throws RefundRefused with the reason
 */
export async function orderRetry(
  context: SettlementContext,
  { paymentId, refundId, by }: RefundRetry,
): Promise<Refund | undefined> {
  return inTransaction(context.db, async (trx) => {
    const payment = await lockPayment(trx, paymentId);
    if (!payment) return undefined;
    const money = await readMoney(trx, payment);
    const failed = money.refunds.find(({ id }) => id === refundId);
    if (!failed) return undefined;
    const refusal = refusalToRetry(failed, money.refunds, payment);
    if (refusal !== null) throw new RefundRefused(refusal);
    return order(trx, context, { payment, money, failed }, by);
  });
}

/** @returns the reason why a refund may not be ordered again, given the payment's other refunds; null if it may */
export function refusalToRetry(
  failed: Refund,
  refunds: readonly Refund[],
  { status }: Pick<StoredPayment, 'status'>,
): string | null {
  if (failed.origin === 'bank') return refusals.ofBank;
  if (failed.state !== 'failed') return refusals.notRefused;
  const isReplaced = refunds.some(({ replaces }) => replaces === failed.id);
  if (isReplaced) return refusals.orderedAlready;
  if (failed.owed !== null || failed.orderAgainAt !== null) return null;
  return refusals.notOwed(status);
}

type Failed = { payment: StoredPayment; money: Money; failed: Refund };

async function order(
  trx: Queryable,
  context: SettlementContext,
  { payment, money, failed }: Failed,
  by: Author,
): Promise<Refund> {
  const { now, refundRetrySeconds: retrySeconds } = context;
  const at = now();
  const { id: refundId, endToEndId, note } = failed;
  const planned = planRefunds(money, { retrySeconds, now: at }).find(({ replaces }) => replaces === refundId);
  if (!planned) throw new RefundRefused(refusals.nothingOfPix);
  const order = { ...planned, paymentId: payment.id, note, reorders: 0, now: at };
  const made = await insertRefundOrder(trx, order);
  const [from, to] = [{ refundId }, { refundId: made.id, amount: made.amount }];
  const about = { at, storeId: payment.storeId, paymentId: payment.id, subject: endToEndId };
  await recordChange(trx, by, { action: 'refund.ordered_anew', ...about, from, to });
  await balance(trx, context, payment);
  return made;
}
