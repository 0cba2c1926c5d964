import type { Queryable } from '@payments/database/connection';
import { findPayment, lockPayment, type StoredPayment } from '@payments/database/payments/payments';
import { setReviewTimedOut } from '@payments/database/payments/reviews';
import type { Author } from '@payments/database/record/changes';
import { inTransaction } from '@payments/database/transaction';
import { isReturnUnderWay, planRefunds } from '@payments/domain/refund-plan';
import { finalAmount, refundableAmount } from '@payments/domain/refunds';
import { type Mover, mayTransition, type PaymentStatus } from '@payments/domain/status';
import { balancePayment, type Money, moneyOf, movePayment, readMoney } from './balance.ts';
import { Unsettleable } from './charges/set-aside.ts';
import { atBankOf, type SettlementContext } from './context.ts';
import { learnFromBank } from './pix/settle-told.ts';
import { Refused } from './refusals.ts';
import { lockStoreOf, type StoreToken } from './store-token.ts';

export type Decision = {
  paymentId: string;
  to: PaymentStatus;
  by: Author;
  /** Given if the store decides by its token, not an administrator. */
  token?: StoreToken;
  /** The status that the administrator saw. In another one, the same move may mean something else, and is refused. */
  from?: PaymentStatus | undefined;
  /** The amount in centavos that the administrator saw. An approval of another amount is refused. */
  shown?: number | undefined;
};

/** This transition may not be made now, or not by this actor; nothing was written. */
export class TransitionRefused extends Refused {
  override readonly name = 'TransitionRefused';
  readonly kind = 'transitionRefused';
}

/**
 * Moves a payment by an administrator's decision. An approval and a payout first ask the bank, since some of the money
 * may have gone back. A rejection orders the refund of what was received. A cancellation withdraws the charge.
 * @returns the payment, or undefined if there is none
 * @throws TransitionRefused; TokenRefused; PixUnavailable or PixRefused if the bank can't be asked
 */
export async function decide(
  context: SettlementContext,
  decision: Decision,
): Promise<StoredPayment | undefined> {
  const { paymentId, to, from, token } = decision;
  const actor = token ? 'store' : 'administrator';
  const assertAllowed = ({ status }: StoredPayment) => {
    if (from !== undefined && status !== from) throw new TransitionRefused({ code: 'statusChanged' });
    if (!mayTransition(status, to, actor))
      throw new TransitionRefused({ code: 'transition', from: status, to });
  };
  const found = await findPayment(context.db, paymentId);
  if (!found) return undefined;
  if (asksBank.includes(to)) {
    assertAllowed(found);
    await askBank(context, found);
  }
  return inTransaction(context.db, async (trx) => {
    const payment = await lockPayment(trx, paymentId);
    if (!payment) return undefined;
    if (token) await lockStoreOf(trx, token, { deed: 'cancel', now: context.now });
    assertAllowed(payment);
    const money = await readMoney(trx, payment);
    assertMoneyAllows(context, money, to);
    return move(trx, context, { payment, money }, { ...decision, actor });
  });
}

/** Money of the store, or on its way to it: the bank may have taken it back without telling. */
const asksBank: readonly PaymentStatus[] = ['approved', 'paid', 'withdrawal_processing'];

/** @throws TransitionRefused while the bank and the books are in doubt */
async function askBank(context: SettlementContext, payment: StoredPayment): Promise<void> {
  await learnFromBank(atBankOf(context, payment.bank), payment).catch((error: unknown) => {
    if (!(error instanceof Unsettleable)) throw error;
    const isUnknown = error.why === 'charge_unknown';
    throw new TransitionRefused({ code: isUnknown ? 'chargeUnknown' : 'inDoubt' });
  });
}

async function move(
  trx: Queryable,
  context: SettlementContext,
  { payment, money }: { payment: StoredPayment; money: Money },
  { to, actor, by, shown }: Decision & { actor: Mover },
): Promise<StoredPayment> {
  const { reason, requestId } = by;
  const amount = finalAmount({ ...money, payment: { ...moneyOf(payment), status: to } });
  if (to === 'approved' && shown !== undefined && shown !== amount)
    throw new TransitionRefused({ code: 'amountChanged' });
  const why = { actor, by, reason, requestId };
  const changed = await movePayment(trx, context, { payment, to, amount, ...why });
  return (await balancePayment(trx, context, changed)).payment;
}

/** @throws TransitionRefused for a payment whose money is going back: it can be neither approved nor paid out */
function assertMoneyAllows(context: SettlementContext, money: Money, to: PaymentStatus): void {
  if (to === 'approved') assertSomethingLeft(money);
  if (to !== 'paid' && to !== 'withdrawal_processing') return;
  const options = { retrySeconds: context.refundRetrySeconds, now: context.now() };
  if (isReturnUnderWay(money, planRefunds(money, options)))
    throw new TransitionRefused({ code: 'returnUnderWay' });
}

function assertSomethingLeft(money: Money): void {
  const isOurs = money.refunds.some(({ origin, state, endToEndId }) => {
    const isCounted = money.pix.some((pix) => pix.counts && pix.endToEndId === endToEndId);
    return isCounted && origin === 'service' && state !== 'failed';
  });
  if (isOurs) throw new TransitionRefused({ code: 'beingRefunded' });
  if (refundableAmount(money) === 0) throw new TransitionRefused({ code: 'nothingReceivedLeft' });
}

/**
 * Times out a payment that has been in review since before `since`: all that was received goes back, once. The status
 * changes when the bank has accepted the refund.
 * @returns whether this call timed it out
 */
export async function timeOutReview(
  context: SettlementContext,
  paymentId: string,
  since: Date,
): Promise<boolean> {
  return inTransaction(context.db, async (trx) => {
    const payment = await lockPayment(trx, paymentId);
    if (payment?.status !== 'review' || payment.reviewTimedOutAt !== null) return false;
    if (payment.reviewSince === null || payment.reviewSince >= since) return false;
    const reviewTimedOutAt = context.now();
    await setReviewTimedOut(trx, paymentId, reviewTimedOutAt);
    await balancePayment(trx, context, { ...payment, reviewTimedOutAt });
    return true;
  });
}
