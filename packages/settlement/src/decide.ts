import type { Queryable } from '@payments/database/connection';
import type { Author } from '@payments/database/operations/changes';
import { findPayment, lockPayment, type StoredPayment } from '@payments/database/payments/payments';
import { inTransaction } from '@payments/database/transaction';
import { txidOf } from '@payments/domain/identifiers';
import { isReturnUnderWay, planRefunds } from '@payments/domain/refund-plan';
import { finalAmount, refundableAmount } from '@payments/domain/refunds';
import { mayTransition, type PaymentStatus } from '@payments/domain/status';
import { balance, type Money, moneyOf, readMoney } from './balance.ts';
import { atBankOf, type BankContext, type SettlementContext } from './context.ts';
import { movePayment } from './move-payment.ts';
import { refusals } from './refusals.ts';
import { settleCharge } from './settle-charge.ts';

export type Decision = {
  paymentId: string;
  to: PaymentStatus;
  by: Author;
  /** The amount in centavos that the administrator saw. An approval of another amount is refused. */
  shown?: number | undefined;
};

/** An administrator may not make this transition now; nothing was written. */
export class TransitionRefused extends Error {
  override readonly name = 'TransitionRefused';
}

/**
 * Moves a payment by an administrator's decision. An approval of a review first asks the bank, since some of the money
 * may have gone back. A rejection orders the refund of what was received. A cancellation withdraws the charge.
 * @returns the payment, or undefined if there is none
 * @throws TransitionRefused; PixUnavailable or PixRefused if a review can't be compared with the bank
 */
export async function decide(
  context: SettlementContext,
  decision: Decision,
): Promise<StoredPayment | undefined> {
  const { paymentId, to } = decision;
  const found = await findPayment(context.db, paymentId);
  if (!found) return undefined;
  assertListed(found, to);
  if (to === 'approved') await learnFromBank(atBankOf(context, found.bank), paymentId);
  return inTransaction(context.db, async (trx) => {
    const payment = await lockPayment(trx, paymentId);
    if (!payment) return undefined;
    assertListed(payment, to);
    const money = await readMoney(trx, payment);
    assertMoneyAllows(context, money, to);
    return move(trx, context, { payment, money }, decision);
  });
}

async function learnFromBank(context: BankContext, paymentId: string): Promise<void> {
  const charge = await context.pix.getCharge(txidOf(paymentId));
  if (!charge) throw new TransitionRefused(refusals.chargeUnknown);
  await settleCharge(context, paymentId, charge);
}

async function move(
  trx: Queryable,
  context: SettlementContext,
  { payment, money }: { payment: StoredPayment; money: Money },
  { to, by, shown }: Decision,
): Promise<StoredPayment> {
  const { reason, requestId } = by;
  const amount = finalAmount({ ...money, payment: { ...moneyOf(payment), status: to } });
  if (to === 'approved' && shown !== undefined && shown !== amount)
    throw new TransitionRefused(refusals.amountChanged);
  const why = { actor: 'administrator', by, reason, requestId };
  const changed = await movePayment(trx, context, { payment, to, amount, ...why });
  return (await balance(trx, context, changed)).payment;
}

function assertListed({ status }: StoredPayment, to: PaymentStatus): void {
  if (mayTransition(status, to, 'administrator')) return;
  throw new TransitionRefused(refusals.transition(status, to));
}

/** @throws TransitionRefused for a payment whose money is going back: it can be neither approved nor paid out */
function assertMoneyAllows(context: SettlementContext, money: Money, to: PaymentStatus): void {
  if (to === 'approved') assertSomethingLeft(money);
  if (to !== 'paid' && to !== 'withdrawal_processing') return;
  const options = { retrySeconds: context.refundRetrySeconds, now: context.now() };
  if (isReturnUnderWay(money, planRefunds(money, options)))
    throw new TransitionRefused(refusals.returnUnderWay);
}

function assertSomethingLeft(money: Money): void {
  const isOurs = money.refunds.some(({ origin, state, endToEndId }) => {
    const isCounted = money.pix.some((pix) => pix.counts && pix.endToEndId === endToEndId);
    return isCounted && origin === 'service' && state !== 'failed';
  });
  if (isOurs) throw new TransitionRefused(refusals.beingRefunded);
  if (refundableAmount(money) === 0) throw new TransitionRefused(refusals.nothingReceivedLeft);
}
