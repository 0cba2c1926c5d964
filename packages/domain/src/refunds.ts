import { addDays, dayOf } from './days.ts';
import { reaisFrom } from './money.ts';
import type { Payment } from './payment.ts';
import { isConfirmed, type PaymentStatus } from './status.ts';

/** The states of a refund, in their order. */
export const refundStates = ['requested', 'processing', 'refunded', 'failed'] as const;
export type RefundState = (typeof refundStates)[number];

/** Why money goes back, as stores read it: by an order, by a rule of the service, or at the bank. */
export const refundKinds = [
  'requested',
  'second_pix',
  'rejected',
  'review_timeout',
  'returned_by_bank',
] as const;
export type RefundKind = (typeof refundKinds)[number];

/** A Pix that was received; amount in centavos. */
export type PixKept = {
  endToEndId: string;
  amount: number;
  /** True if the payment was approved, or put in review, by it. Every other Pix goes back whole. */
  counts: boolean;
  /** The bank's time of its settlement. */
  paidAt: Date;
};

/** A devolução of one Pix, ordered by the service, or begun at the bank; amounts in centavos. */
export type RefundRecord = {
  id: string;
  endToEndId: string;
  origin: 'service' | 'bank';
  state: RefundState;
  amount: number;
  /** The amount that this order was to give back. `amount` is less if the bank had taken a part. */
  wanted: number;
  /** True if a person named the amount: it goes back as ordered, or not at all. */
  exact: boolean;
  reason: string;
  /** The refund that it replaces. */
  replaces: string | null;
  /** The number of new orders after refusals, since the first order. */
  reorders: number;
  updatedAt: Date;
};

/** The payment of the money; `charged` in centavos. */
export type PaymentMoney = { status: PaymentStatus; charged: number; isTimedOut: boolean };

export type MoneyFacts = {
  payment: PaymentMoney;
  pix: readonly PixKept[];
  refunds: readonly RefundRecord[];
};

/** Why the service orders a refund. */
export type RefundReason = 'second_pix' | 'rejected' | 'review_timeout' | typeof orderedByPerson;

/** The reason of a refund that a person ordered. */
export const orderedByPerson = 'administrator';

/** The statuses in which a person may order a refund. */
export const refundableStatuses = ['approved', 'paid'] as const satisfies PaymentStatus[];

export function isRefundable(status: PaymentStatus): boolean {
  return refundableStatuses.some((refundable) => refundable === status);
}

const windowDays = 90;

/**
 * @param paidAt the bank's time of the Pix
 * @returns whether no refund of the Pix can be ordered any more. API Pix 2.9 allows 90 days from its settlement; the
 * 90th day, São Paulo's, counts whole, so that the bank decides its last hours
 */
export function isRefundWindowOver({ paidAt }: Pick<PixKept, 'paidAt'>, at: Date): boolean {
  return dayOf(at) > addDays(dayOf(paidAt), windowDays);
}

const isMade = ({ state }: RefundRecord) => state === 'refunded';
const isAccepted = ({ state }: RefundRecord) => state === 'refunded' || state === 'processing';
const isAlive = ({ state }: RefundRecord) => state !== 'failed';

/** @returns the payment's final value in centavos: what was charged, or what is kept of what was received */
export function finalAmount({ payment, pix, refunds }: MoneyFacts): number {
  if (!isConfirmed(payment.status)) return payment.charged;
  return sum(counted(pix).map((one) => leftOf(one, refunds.filter(isMade))));
}

/** @returns the received amount that can still be given back, in centavos */
export function refundableAmount({ pix, refunds }: Omit<MoneyFacts, 'payment'>): number {
  return sum(counted(pix).map((one) => leftOf(one, refunds.filter(isAlive))));
}

/**
 * Decides the status after refunds that were made or accepted. An approved or paid payment with nothing left becomes
 * `not_approved`. So does a review that goes back whole, if it timed out or something goes back by our order: a
 * restored database may have lost the decision. A review that the bank alone takes back (MED) stays.
 * @returns the new status, or null if it stays
 */
export function statusAfterReturns({ payment, pix, refunds }: MoneyFacts): PaymentStatus | null {
  const all = counted(pix);
  if (all.length === 0) return null;
  const isGone = (by: (refund: RefundRecord) => boolean) =>
    all.every((one) => leftOf(one, refunds.filter(by)) === 0);
  if (isRefundable(payment.status)) return isGone(isMade) ? 'not_approved' : null;
  const isOurs = (refund: RefundRecord) => refund.origin === 'service' && isAccepted(refund);
  const isDecided = payment.isTimedOut || all.some((one) => leftOf(one, refunds.filter(isOurs)) < one.amount);
  if (payment.status === 'review' && isDecided) return isGone(isAccepted) ? 'not_approved' : null;
  return null;
}

/** A refund of a payment, as it is stored. */
export type RefundOfPayment = Pick<
  RefundRecord,
  'id' | 'endToEndId' | 'origin' | 'state' | 'amount' | 'reason' | 'updatedAt'
> & { paymentId: string; createdAt: Date };

/** A refund as its store sees it, in answers and events (Contract: refunds by a token). */
export type RefundView = {
  id: string;
  paymentId: string;
  endToEndId: string;
  amount: number;
  status: RefundState;
  reason: RefundKind;
  createdAt: string;
  updatedAt: string;
};

/** @returns the refund's fields in answers and events, with the amount in reais (Contract: refunds by a token) */
export function refundView(refund: RefundOfPayment): RefundView {
  return {
    id: refund.id,
    paymentId: refund.paymentId,
    endToEndId: refund.endToEndId,
    amount: reaisFrom(refund.amount),
    status: refund.state,
    reason: kindOf(refund),
    createdAt: refund.createdAt.toISOString(),
    updatedAt: refund.updatedAt.toISOString(),
  };
}

const ruled: readonly string[] = ['second_pix', 'rejected', 'review_timeout'] satisfies RefundKind[];

/** A person's words are another field. An order of ours that a restored database lost has the bank's word for it. */
function kindOf({ origin, reason }: Pick<RefundRecord, 'origin' | 'reason'>): RefundKind {
  if (origin === 'bank') return 'returned_by_bank';
  return ruled.includes(reason) ? (reason as RefundKind) : 'requested';
}

/** The stored `natureza` of a return while the bank tells none: nobody knows then whether it made the return by itself. */
export const untoldNature = 'bank';

/** @returns whether the bank made a return in the MED, by the return's `natureza` (API Pix 2.9) */
export function isMed(nature: string): boolean {
  return nature.startsWith('MED_');
}

/** @returns the refunds of Pix that count: those of a second Pix say nothing of the money that the payment had */
export function ofCounted<Refund extends Pick<RefundRecord, 'endToEndId'>>(
  pix: readonly Pick<PixKept, 'endToEndId' | 'counts'>[],
  refunds: readonly Refund[],
): Refund[] {
  const had = new Set(counted(pix).map(({ endToEndId }) => endToEndId));
  return refunds.filter(({ endToEndId }) => had.has(endToEndId));
}

/** @returns the Pix that approved the payment or put it in review */
export function counted<Pix extends Pick<PixKept, 'counts'>>(pix: readonly Pix[]): Pix[] {
  return pix.filter(({ counts }) => counts);
}

/** @returns the rest of a Pix after its refunds among these, in centavos */
export function leftOf(
  { endToEndId, amount }: Pick<PixKept, 'endToEndId' | 'amount'>,
  refunds: readonly Pick<RefundRecord, 'endToEndId' | 'amount'>[],
): number {
  const gone = refunds.filter((refund) => refund.endToEndId === endToEndId).map((refund) => refund.amount);
  return Math.max(0, amount - sum(gone));
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** A return that was made of the Pix that counts for a payment; amounts in centavos. */
export type MadeReturn = {
  amount: number;
  /** The part of the approved payment that it gave back; null if that is not decided yet. */
  givenBack: number | null;
};

/**
 * Decides how much returns reduced an approved payment. Money that went back before the approval was never received.
 * A bank's return (MED) beside one of ours reduces it by no more than is left.
 * @param received what was kept at the approval
 * @param left what is left now
 * @returns the undecided returns with their parts, in centavos
 */
export function decideGivenBack<Return extends MadeReturn>(
  { received, left }: { received: number; left: number },
  made: readonly Return[],
): (Return & { givenBack: number })[] {
  let rest = made.reduce((sum, { givenBack }) => sum - (givenBack ?? 0), received - left);
  return made
    .filter(({ givenBack }) => givenBack === null)
    .map((one) => {
      const givenBack = Math.min(one.amount, Math.max(0, rest));
      rest -= givenBack;
      return { ...one, givenBack };
    });
}

/** @returns what is left of a payment that was approved: nothing if all of it went back */
export function leftOfApproved({ status, amount }: Pick<Payment, 'status' | 'amount'>): number {
  return isConfirmed(status) ? amount : 0;
}
