import {
  counted,
  isRefundable,
  isRefundWindowOver,
  leftOf,
  type MoneyFacts,
  orderedByPerson,
  type PaymentMoney,
  type PixKept,
  type RefundReason,
  type RefundRecord,
  refundableAmount,
} from './refunds.ts';

/** A refund that is to be ordered; amounts in centavos. */
export type PlannedRefund = {
  endToEndId: string;
  amount: number;
  /** The amount that this order is to give back. `amount` is less while a return by the bank leaves less. */
  wanted: number;
  /** True if a person named the amount: it goes back as ordered, or not at all. */
  exact: boolean;
  reason: string;
  /** The refund that it replaces. */
  replaces: string | null;
  reorders: number;
  /** When the service orders it. Null if the service orders it no more, and a person must act: it is owed. */
  at: Date | null;
  /** True if the time to give the Pix back is over. */
  isTooLate: boolean;
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
    const { own, left } = restOf(one, refunds);
    if (left === 0) return [];
    const orders = ordersOf({ payment, one, own, left }, options);
    return orders.map((planned) => inWindow(one, planned, options.now));
  });
}

function restOf(one: PixKept, refunds: readonly RefundRecord[]): { own: RefundRecord[]; left: number } {
  const own = refunds.filter(({ endToEndId }) => endToEndId === one.endToEndId);
  const alive = own.filter(({ state }) => state !== 'failed');
  return { own, left: leftOf(one, alive) };
}

type Planned = Omit<PlannedRefund, 'isTooLate'>;

function ordersOf(whole: Whole, options: PlanOptions): Planned[] {
  if (goesBackWhole(whole.payment, whole.one)) return [planWhole(whole, options)];
  return isRefundable(whole.payment.status) ? planOrdered(whole, options) : [];
}

/** The bank refuses every order after the window: what would be ordered then is owed at once. */
function inWindow(one: PixKept, planned: Planned, now: Date): PlannedRefund {
  const isTooLate = isRefundWindowOver(one, now);
  const isInTime = planned.at !== null && !isTooLate && !isRefundWindowOver(one, planned.at);
  return { ...planned, at: isInTime ? planned.at : null, isTooLate };
}

/** A second Pix, Pix of a payment that is not approved, and a review that timed out go back whole. */
function goesBackWhole({ status, isTimedOut }: PaymentMoney, { counts }: PixKept): boolean {
  return !counts || status === 'not_approved' || (status === 'review' && isTimedOut);
}

type Whole = { payment: PaymentMoney; one: PixKept; own: readonly RefundRecord[]; left: number };

function planWhole({ payment, one, own, left }: Whole, options: PlanOptions): Planned {
  // An order with nothing wanted has ended: it is not ordered again.
  const refused = unreplaced(own).findLast(({ state, wanted }) => state === 'failed' && wanted > 0);
  const reason = refused?.reason ?? reasonOf(payment, one);
  const amounts = { amount: left, wanted: left, exact: false };
  return { ...after(refused, options), ...amounts, endToEndId: one.endToEndId, reason };
}

function reasonOf({ isTimedOut }: PaymentMoney, { counts }: PixKept): RefundReason {
  if (!counts) return 'second_pix';
  return isTimedOut ? 'review_timeout' : 'rejected';
}

/**
 * An approved payment gives back only what a person ordered. A named amount goes back as ordered, or not at all; an
 * order of all that is left follows what is left.
 */
function planOrdered({ own, left }: Pick<Whole, 'own' | 'left'>, options: PlanOptions): Planned[] {
  const planned: Planned[] = [];
  let rest = left;
  for (const { order, missing } of missingOrders(own)) {
    const amount = Math.min(missing, rest);
    if (amount <= 0 || (order.exact && amount < missing)) continue;
    rest -= amount;
    const { endToEndId, exact, reason } = order;
    planned.push({ ...after(order, options), amount, wanted: missing, exact, endToEndId, reason });
  }
  return planned;
}

/** Orders of people that have ended and gave back less than ordered: named amounts first, then oldest first. */
function missingOrders(own: readonly RefundRecord[]): { order: RefundRecord; missing: number }[] {
  const orders = unreplaced(own)
    // A replacement would hide an order in progress that fails. The rest is planned when it has ended.
    .filter(({ reason, state }) => reason === orderedByPerson && (state === 'failed' || state === 'refunded'))
    .map((order) => ({ order, missing: order.wanted - (order.state === 'failed' ? 0 : order.amount) }))
    .filter(({ missing }) => missing > 0);
  return [...orders.filter(({ order }) => order.exact), ...orders.filter(({ order }) => !order.exact)];
}

/**
 * @param plan the result of {@link planRefunds}
 * @returns the refused orders of a named amount that the plan leaves out, since they fit no more: they have ended
 */
export function ordersThatEnd<Refund extends RefundRecord>(
  refunds: readonly Refund[],
  plan: readonly PlannedRefund[],
): Refund[] {
  const replaced = new Set([...refunds, ...plan].map((one) => `${one.endToEndId} ${one.replaces}`));
  const isReplaced = ({ endToEndId, id }: Refund) => replaced.has(`${endToEndId} ${id}`);
  return refunds.filter(
    (refund) => refund.exact && refund.state === 'failed' && refund.wanted > 0 && !isReplaced(refund),
  );
}

/** @returns our refunds of a Pix that no other one replaces, oldest first: each can be replaced once */
export function unreplaced(own: readonly RefundRecord[]): RefundRecord[] {
  const replaced = new Set(own.map(({ replaces }) => replaces));
  return own.filter(({ id, origin }) => origin === 'service' && !replaced.has(id));
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

/**
 * @returns the received amount that a person may order to go back, in centavos: without what refused refunds wait to give
 * back, which must not be ordered twice
 */
export function orderableAmount(money: MoneyFacts, options: PlanOptions): number {
  const counts = new Set(counted(money.pix).map(({ endToEndId }) => endToEndId));
  const waiting = planRefunds(money, options).filter(({ endToEndId }) => counts.has(endToEndId));
  return waiting.reduce((left, { amount }) => left - amount, refundableAmount(money));
}
