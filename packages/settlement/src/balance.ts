import { isDeepStrictEqual } from 'node:util';
import { findPix, listPixReceived } from '@payments/database/charges/pix-received';
import {
  lockUnmatchedPix,
  setUnmatchedReturned,
  type UnmatchedPix,
} from '@payments/database/charges/unmatched-pix';
import type { Queryable } from '@payments/database/connection';
import {
  changeStatus,
  listToldRefunds,
  type StatusChange,
  tellRefund,
  updatePayment,
} from '@payments/database/payments/changes';
import { lockPayment, type StoredPayment } from '@payments/database/payments/payments';
import { endOrder, setGivenBack } from '@payments/database/refunds/claims';
import { insertRefundOrder, setOpenQuestion } from '@payments/database/refunds/orders';
import {
  listRefunds,
  listRefundsOfPix,
  nothingOpen,
  type OpenQuestion,
  type Refund,
} from '@payments/database/refunds/refunds';
import { type Payment, paymentView } from '@payments/domain/payment';
import { ordersThatEnd, type PlannedRefund, planRefunds } from '@payments/domain/refund-plan';
import {
  decideGivenBack,
  finalAmount,
  leftOfApproved,
  type MoneyFacts,
  ofCounted,
  type PixKept,
  refundView,
  statusAfterReturns,
} from '@payments/domain/refunds';
import type { ChangeReason } from '@payments/domain/status';
import type { SettlementContext } from './context.ts';
import { tellOwed } from './notices.ts';

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
export async function balancePayment(
  trx: Queryable,
  context: SettlementContext,
  payment: StoredPayment,
): Promise<Balanced> {
  const money = await readMoney(trx, payment);
  const told = await tellRefunds(trx, context, payment, money.refunds);
  const moved = await moveAfterReturns(trx, context, told, money);
  const settled = { ...money, payment: moneyOf(moved) };
  const current = await followAmount(trx, context, moved, finalAmount(settled));
  await storeGivenBack(trx, current, money);
  const ordered = await orderPlanned(trx, context, payment.id, settled);
  const refunds = await listRefunds(trx, payment.id);
  return { payment: await tellRefunds(trx, context, current, refunds), ordered };
}

async function followAmount(
  trx: Queryable,
  { now, publicUrl }: SettlementContext,
  payment: StoredPayment,
  amount: number,
): Promise<StoredPayment> {
  if (amount === payment.amount) return payment;
  const cause = { actor: 'refund', requestId: payment.requestId, now: now() };
  const view = (one: Payment) => paymentView(one, publicUrl);
  return updatePayment(trx, { payment, changed: { amount }, ...cause, view });
}

/**
 * Tells each refund whose view differs from what the payment's events last told of it. What a bank's step returned is
 * told before what it made of the payment, a person's decision before the refunds that it orders. Lock the payment
 * first.
 * @returns the payment, with the number of its events
 */
export async function tellRefunds(
  trx: Queryable,
  { now, publicUrl }: SettlementContext,
  payment: StoredPayment,
  refunds: readonly Refund[],
): Promise<StoredPayment> {
  if (refunds.length === 0) return payment;
  const told = Map.groupBy(await listToldRefunds(trx, payment.id), nameOf);
  const cause = { requestId: payment.requestId, now: now() };
  let current = payment;
  for (const { origin, ...stored } of refunds) {
    const refund = refundView({ ...stored, origin, paymentId: payment.id });
    const ofIt = told.get(nameOf(refund)) ?? [];
    const previous = ofIt.at(-1);
    if (isDeepStrictEqual(refund, previous)) continue;
    const { status, amount } = refund;
    const ordinal = ofIt.filter((one) => one.status === status && one.amount === amount).length;
    const actor = origin === 'bank' ? 'psp' : 'refund';
    const about = { payment: current, refund, previous, ordinal, actor, ...cause };
    current = await tellRefund(trx, { ...about, view: (one) => paymentView(one, publicUrl) });
  }
  return current;
}

const nameOf = ({ endToEndId, id }: { endToEndId: string; id: string }) => `${endToEndId} ${id}`;

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
    reason: isTimeOut ? 'review_timeout' : whoReturned(money),
    requestId: payment.requestId,
  });
}

function whoReturned({ pix, refunds }: Money): ChangeReason {
  const isOurs = ({ origin, state }: Refund) => origin === 'service' && state === 'refunded';
  return ofCounted(pix, refunds).some(isOurs) ? 'refunded' : 'returned_by_bank';
}

/**
 * Orders the refunds that are due. For each refused refund it stores the time of the next order, that a person must
 * act, or that it has ended.
 * @param paymentId null for an unmatched Pix
 * @returns how many were ordered
 */
async function orderPlanned(
  trx: Queryable,
  context: SettlementContext,
  paymentId: string | null,
  money: Money,
): Promise<number> {
  const { now, refundRetrySeconds: retrySeconds, log } = context;
  const at = now();
  const plan = planRefunds(money, { retrySeconds, now: at });
  for (const refund of ordersThatEnd(money.refunds, plan))
    await endOrder(trx, refund, { reason: 'moreThanIsLeft', now: at });
  const isSent = (planned: PlannedRefund) => planned.at !== null && planned.at <= at;
  const orders = plan.filter((planned) => isSent(planned) || isOwedUnseen(planned, money));
  for (const planned of orders) {
    const refused = isSent(planned) ? undefined : 'windowOver';
    const { id, endToEndId } = await insertRefundOrder(trx, { ...planned, paymentId, refused, now: at });
    const says = refused ? 'a refund is owed' : 'a refused refund is ordered anew';
    if (planned.replaces || refused) log.warn({ paymentId, endToEndId, refundId: id, refused }, says);
    if (refused)
      await tellOwed(trx, context, { endToEndId, refundId: id, paymentId, amount: planned.amount });
  }
  const waiting = plan.filter((planned) => !orders.includes(planned));
  for (const refund of money.refunds)
    if (!orders.some(({ replaces }) => replaces === refund.id))
      await storeOpenQuestion(trx, context, refund, waiting);
  return orders.filter(isSent).length;
}

/** The refused refund holds what is owed. Without one, an order that is not sent shows it. */
function isOwedUnseen({ at, endToEndId, replaces }: PlannedRefund, { refunds }: Money): boolean {
  const isIts = (one: Refund) => one.endToEndId === endToEndId && one.id === replaces;
  return at === null && !refunds.some((one) => isIts(one) && one.state === 'failed');
}

/** Stores when a refused refund is ordered anew, or that its amount is owed. */
async function storeOpenQuestion(
  trx: Queryable,
  context: SettlementContext,
  refund: Refund,
  waiting: readonly PlannedRefund[],
): Promise<void> {
  const next = waiting.find(
    ({ endToEndId, replaces }) => endToEndId === refund.endToEndId && replaces === refund.id,
  );
  const question = questionOf(next);
  const { endToEndId, id: refundId, paymentId, orderAgainAt, orderAgainAmount, owed: stored } = refund;
  if (isDeepStrictEqual(question, { orderAgainAt, orderAgainAmount, owed: stored })) return;
  const { owed } = question;
  const reason = owed !== null && next?.isTooLate ? 'windowOver' : undefined;
  await setOpenQuestion(trx, refund, { ...question, reason });
  if (owed !== null) await tellOwed(trx, context, { endToEndId, refundId, paymentId, amount: owed });
}

function questionOf(next: PlannedRefund | undefined): OpenQuestion {
  if (!next) return nothingOpen;
  const { at, amount } = next;
  return at === null
    ? { ...nothingOpen, owed: amount }
    : { ...nothingOpen, orderAgainAt: at, orderAgainAmount: amount };
}

/** The owner of a refund's money, locked: a payment, or an unmatched Pix. */
export type Holder = { payment: StoredPayment } | { pix: UnmatchedPix };

/** Locks the owner of a refund's money. A Pix may have been matched to a payment since the refund was read. */
export async function lockHolder(
  trx: Queryable,
  { paymentId, endToEndId }: { paymentId: string | null; endToEndId: string },
): Promise<Holder> {
  if (paymentId === null) {
    const pix = await lockUnmatchedPix(trx, endToEndId);
    if (pix) return { pix };
  }
  const id = paymentId ?? (await findPix(trx, [endToEndId]))[0]?.paymentId;
  const payment = id ? await lockPayment(trx, id) : undefined;
  if (!payment) throw new Error(`the Pix ${endToEndId} is nobody's`);
  return { payment };
}

/**
 * Balances a payment, or plans the refunds of an unmatched Pix.
 * @returns how many refunds were ordered
 */
export async function balanceHolder(
  trx: Queryable,
  context: SettlementContext,
  holder: Holder,
): Promise<number> {
  if ('payment' in holder) return (await balancePayment(trx, context, holder.payment)).ordered;
  const { endToEndId } = holder.pix;
  const money = { ...asApproved(holder.pix), refunds: await listRefundsOfPix(trx, [endToEndId]) };
  if (statusAfterReturns(money)) await setUnmatchedReturned(trx, endToEndId);
  return orderPlanned(trx, context, null, money);
}

/** @returns an unmatched Pix as if a payment were approved by it: what a person orders goes back */
export function asApproved(pix: UnmatchedPix): Pick<MoneyFacts, 'payment' | 'pix'> {
  return {
    payment: { status: 'approved', charged: pix.amount, isTimedOut: false },
    pix: [{ ...pix, counts: true }],
  };
}

/** Stores what the returns of an approved payment took from it, for its store's statement. */
async function storeGivenBack(
  trx: Queryable,
  payment: StoredPayment,
  { pix, refunds }: { pix: readonly PixKept[]; refunds: readonly Refund[] },
): Promise<void> {
  const { received } = payment;
  if (received === null) return;
  const made = ofCounted(pix, refunds).filter(({ state }) => state === 'refunded');
  const decided = decideGivenBack({ received, left: leftOfApproved(payment) }, made);
  for (const refund of decided) await setGivenBack(trx, refund, refund.givenBack);
}

/**
 * Moves a payment now, with its event.
 * @throws StatusChanged if the payment moved meanwhile
 */
export function movePayment(
  trx: Queryable,
  { now, publicUrl }: SettlementContext,
  change: Omit<StatusChange, 'now' | 'view'>,
): Promise<StoredPayment> {
  return changeStatus(trx, { ...change, now: now(), view: (payment) => paymentView(payment, publicUrl) });
}
