import {
  isRefundable,
  leftOf,
  type MoneyFacts,
  orderedByPerson,
  type PaymentMoney,
  type PixKept,
  type RefundRecord,
} from './refunds.ts';

/** A refund that is to be ordered; amounts in centavos. */
export type PlannedRefund = {
  endToEndId: string;
  amount: number;
  /** The amount that this order is to give back. `amount` is less while a return by the bank leaves less. */
  wanted: number;
  reason: string;
  /** The refund that it replaces. */
  replaces: string | null;
  reorders: number;
  /** When the service orders it. Null if the bank has refused so often that a person must act: it is owed. */
  at: Date | null;
};

export type PlanOptions = {
  /** Seconds from each refusal by the bank to the next order. */
  retrySeconds: readonly number[];
  now: Date;
};

/**
 * Plans every refund that is due to the payer and neither made nor in progress. This is the only definition of refunds
 * that are due or owed. The service orders those that are due, and stores the rest with the refused refund.
 */
export function planRefunds({ payment, pix, refunds }: MoneyFacts, options: PlanOptions): PlannedRefund[] {
  return pix.flatMap((one) => {
    const own = refunds.filter(({ endToEndId }) => endToEndId === one.endToEndId);
    const left = leftOf(
      one,
      own.filter(({ state }) => state !== 'failed'),
    );
    if (left === 0) return [];
    if (goesBackWhole(payment, one)) return [planWhole({ payment, one, own, left }, options)];
    return isRefundable(payment.status) ? planOrdered({ own, left }, options) : [];
  });
}

/** A second Pix, Pix of a payment that is not approved, and a review that timed out go back whole. */
function goesBackWhole({ status, isTimedOut }: PaymentMoney, { counts }: PixKept): boolean {
  return !counts || status === 'not_approved' || (status === 'review' && isTimedOut);
}

type Whole = { payment: PaymentMoney; one: PixKept; own: readonly RefundRecord[]; left: number };

function planWhole({ payment, one, own, left }: Whole, options: PlanOptions): PlannedRefund {
  const refused = unreplaced(own).findLast(({ state }) => state === 'failed');
  const reason = refused?.reason ?? reasonOf(payment, one);
  return { ...after(refused, options), amount: left, wanted: left, endToEndId: one.endToEndId, reason };
}

function reasonOf({ isTimedOut }: PaymentMoney, { counts }: PixKept): string {
  if (!counts) return 'second_pix';
  return isTimedOut ? 'review_timeout' : 'rejected';
}

/** An approved payment gives back only what a person ordered, up to what is left. */
function planOrdered(
  { own, left }: { own: readonly RefundRecord[]; left: number },
  options: PlanOptions,
): PlannedRefund[] {
  const planned: PlannedRefund[] = [];
  let rest = left;
  for (const order of unreplaced(own).filter(({ reason }) => reason === orderedByPerson)) {
    // A replacement would hide an order in progress that fails. The rest is planned when it has ended.
    if (order.state === 'requested' || order.state === 'processing') continue;
    const missing = order.wanted - (order.state === 'failed' ? 0 : order.amount);
    const amount = Math.min(missing, rest);
    if (amount <= 0) continue;
    rest -= amount;
    const { endToEndId } = order;
    planned.push({ ...after(order, options), amount, wanted: missing, endToEndId, reason: orderedByPerson });
  }
  return planned;
}

/** Our refunds without a replacement, oldest first. */
function unreplaced(own: readonly RefundRecord[]): RefundRecord[] {
  return own.filter(({ id, origin }) => origin === 'service' && !own.some(({ replaces }) => replaces === id));
}

function after(
  order: RefundRecord | undefined,
  { retrySeconds, now }: PlanOptions,
): Pick<PlannedRefund, 'replaces' | 'reorders' | 'at'> {
  if (!order) return { replaces: null, reorders: 0, at: now };
  if (order.state !== 'failed') return { replaces: order.id, reorders: 0, at: now };
  const { reorders, updatedAt } = order;
  const seconds = retrySeconds[reorders];
  const at = seconds === undefined ? null : new Date(updatedAt.getTime() + seconds * 1_000);
  return { replaces: order.id, reorders: reorders + 1, at };
}

/**
 * @param plan the result of {@link planRefunds}
 * @returns whether money of the payment is going back, or is still to go. Such a payment may not be paid out
 */
export function isReturnUnderWay({ pix, refunds }: MoneyFacts, plan: readonly PlannedRefund[]): boolean {
  if (refunds.some(({ state }) => state === 'requested' || state === 'processing')) return true;
  return plan.some(({ endToEndId }) => pix.some((one) => one.counts && one.endToEndId === endToEndId));
}
