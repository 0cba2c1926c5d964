import { listPixReceived } from '@payments/database/charges/pix-received';
import type { Queryable } from '@payments/database/connection';
import { type StoredPayment, setAmount } from '@payments/database/payments/payments';
import { insertRefundOrder, setOpenQuestion } from '@payments/database/refunds/orders';
import { listRefunds, type Refund } from '@payments/database/refunds/refunds';
import { type PlannedRefund, planRefunds } from '@payments/domain/refund-plan';
import { finalAmount, type MoneyFacts, statusAfterReturns } from '@payments/domain/refunds';
import type { SettlementContext } from './context.ts';
import { storeGivenBack } from './given-back.ts';
import { movePayment } from './move-payment.ts';

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
 * Orders the refunds that are due. For each refused refund it stores the time of the next order, or that a person must
 * act.
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
  const due = plan.filter((planned) => planned.at !== null && planned.at <= at);
  for (const planned of due) {
    const { id, endToEndId } = await insertRefundOrder(trx, { ...planned, paymentId, now: at });
    if (planned.replaces)
      log.warn({ paymentId, endToEndId, refundId: id }, 'a refused refund is ordered anew');
  }
  const waiting = plan.filter((planned) => !due.includes(planned));
  for (const refund of money.refunds) {
    if (!due.some(({ replaces }) => replaces === refund.id)) await store(trx, refund, waiting);
  }
  return due.length;
}

async function store(trx: Queryable, refund: Refund, waiting: readonly PlannedRefund[]): Promise<void> {
  const next = waiting.find(
    ({ endToEndId, replaces }) => endToEndId === refund.endToEndId && replaces === refund.id,
  );
  const orderAgainAt = next?.at ?? null;
  const owed = next && next.at === null ? next.amount : null;
  const isStored =
    refund.owed === owed && (refund.orderAgainAt?.getTime() ?? null) === (orderAgainAt?.getTime() ?? null);
  if (!isStored) await setOpenQuestion(trx, refund, { orderAgainAt, owed });
}
