import { listPixReceived } from '@payments/database/charges/pix-received';
import type { Queryable } from '@payments/database/connection';
import { type StoredPayment, setAmount } from '@payments/database/payments/payments';
import { endOrder } from '@payments/database/refunds/claims';
import { insertRefundOrder, setOpenQuestion } from '@payments/database/refunds/orders';
import { listRefunds, type Refund } from '@payments/database/refunds/refunds';
import { ordersThatEnd, type PlannedRefund, planRefunds } from '@payments/domain/refund-plan';
import { finalAmount, type MoneyFacts, statusAfterReturns } from '@payments/domain/refunds';
import type { SettlementContext } from './context.ts';
import { storeGivenBack } from './given-back.ts';
import { movePayment } from './move-payment.ts';
import { refusals } from './refusals.ts';

export type Balanced = {
  payment: StoredPayment;
  /** Refunds that were ordered. The caller may make them at once. */
  ordered: number;
};

/** A payment's money. */
export type Money = Omit<MoneyFacts, 'refunds'> & { refunds: readonly Refund[] };

/**
 * Derives a payment's status, amount, fees and refunds to order from its Pix and their refunds. Every change of these
 * calls it in the same transaction, with the payment locked. A repeated call changes nothing.
 */
export async function balance(
  trx: Queryable,
  context: SettlementContext,
  payment: StoredPayment,
): Promise<Balanced> {
  const money = await readMoney(trx, payment);
  const moved = await moveAfterReturns(trx, context, payment, money);
  const settled = { ...money, payment: moneyOf(moved) };
  const amount = finalAmount(settled);
  const current = amount === moved.amount ? moved : await setAmount(trx, moved, amount);
  await storeGivenBack(trx, current, money);
  const ordered = await carryPlan(trx, context, payment.id, settled);
  return { payment: current, ordered };
}

/** @returns the money of a locked payment */
export async function readMoney(trx: Queryable, payment: StoredPayment): Promise<Money> {
  const pix = await listPixReceived(trx, payment.id);
  const refunds = await listRefunds(trx, payment.id);
  return { payment: moneyOf(payment), pix, refunds };
}

export function moneyOf({ status, charged, reviewTimedOutAt }: StoredPayment): MoneyFacts['payment'] {
  return { status, charged, isTimedOut: reviewTimedOutAt !== null };
}

async function moveAfterReturns(
  trx: Queryable,
  context: SettlementContext,
  payment: StoredPayment,
  money: Money,
): Promise<StoredPayment> {
  const to = statusAfterReturns(money);
  if (to === null) return payment;
  const isTimeOut = payment.reviewTimedOutAt !== null && payment.status === 'review';
  const amount = finalAmount({ ...money, payment: { ...money.payment, status: to } });
  const moved = { paymentId: payment.id, from: payment.status, to };
  context.log.info(moved, 'all that was received has gone back');
  return movePayment(trx, context, {
    payment,
    to,
    amount,
    actor: isTimeOut ? 'review-timeout' : 'refund',
    reason: isTimeOut ? 'review_timeout' : whoReturned(money.refunds),
    requestId: payment.requestId,
  });
}

function whoReturned(refunds: readonly Refund[]): string {
  const isOurs = ({ origin, state }: Refund) => origin === 'service' && state === 'refunded';
  return refunds.some(isOurs) ? 'refunded' : 'returned_by_bank';
}

/**
 * Orders the refunds that are due. For each refused refund it stores the time of the next order, that a person must
 * act, or that it has ended.
 * @param paymentId null for an unmatched Pix
 * @returns how many were ordered
 */
export async function carryPlan(
  trx: Queryable,
  { now, refundRetrySeconds: retrySeconds, log }: SettlementContext,
  paymentId: string | null,
  money: Money,
): Promise<number> {
  const at = now();
  const plan = planRefunds(money, { retrySeconds, now: at });
  for (const refund of ordersThatEnd(money.refunds, plan))
    await endOrder(trx, refund, { reason: refusals.moreThanIsLeft, now: at });
  const isSent = (planned: PlannedRefund) => planned.at !== null && planned.at <= at;
  const orders = plan.filter((planned) => isSent(planned) || isOwedUnseen(planned, money));
  for (const planned of orders) {
    const refused = isSent(planned) ? undefined : refusals.windowOver;
    const { id, endToEndId } = await insertRefundOrder(trx, { ...planned, paymentId, refused, now: at });
    const says = refused ? 'a refund is owed' : 'a refused refund is ordered anew';
    if (planned.replaces || refused) log.warn({ paymentId, endToEndId, refundId: id, refused }, says);
  }
  const waiting = plan.filter((planned) => !orders.includes(planned));
  for (const refund of money.refunds)
    if (!orders.some(({ replaces }) => replaces === refund.id)) await store(trx, refund, waiting);
  return orders.filter(isSent).length;
}

/** What is owed is stored on the refused refund. Without one, an order that is not sent shows it. */
function isOwedUnseen({ at, endToEndId, replaces }: PlannedRefund, { refunds }: Money): boolean {
  const isIts = (one: Refund) => one.endToEndId === endToEndId && one.id === replaces;
  return at === null && !refunds.some((one) => isIts(one) && one.state === 'failed');
}

async function store(trx: Queryable, refund: Refund, waiting: readonly PlannedRefund[]): Promise<void> {
  const next = waiting.find(
    ({ endToEndId, replaces }) => endToEndId === refund.endToEndId && replaces === refund.id,
  );
  const orderAgainAt = next?.at ?? null;
  const owed = next && next.at === null ? next.amount : null;
  const reason = owed !== null && next?.isTooLate ? refusals.windowOver : undefined;
  const isStored =
    refund.owed === owed && (refund.orderAgainAt?.getTime() ?? null) === (orderAgainAt?.getTime() ?? null);
  if (!isStored) await setOpenQuestion(trx, refund, { orderAgainAt, owed, reason });
}
