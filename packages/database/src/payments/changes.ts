import { essenceOf } from '@payments/domain/events';
import { feesOf } from '@payments/domain/fees';
import type { Payment, PaymentView } from '@payments/domain/payment';
import type { RefundView } from '@payments/domain/refunds';
import { isDecision, type PaymentStatus } from '@payments/domain/status';
import type { Queryable } from '../connection.ts';
import { type Author, recordChange } from '../record/changes.ts';
import { type Changed, newEvent, writeChange } from './payment-events.ts';
import type { StoredPayment } from './payments.ts';

export type StatusChange = {
  /** The payment as it was locked or read. The update compares the number of its events. */
  payment: StoredPayment;
  to: PaymentStatus;
  /** Its new value in centavos. */
  amount: number;
  actor: string;
  /** The administrator who decided, if one did. */
  by?: Author;
  reason: string | null;
  requestId: string | null;
  now: Date;
  /** Renders the payment for its event. */
  view: (payment: Payment) => PaymentView;
};

/** The payment's status differs from the one that the decision was made on; nothing was written. */
export class StatusChanged extends Error {
  override readonly name = 'StatusChanged';
}

/**
 * Compares and sets a payment's status, and inserts its `payment.status_changed` and delivery, in one statement. Call
 * it inside a transaction, after the domain has allowed the transition.
 * @throws StatusChanged if the payment moved meanwhile
 */
export async function changeStatus(trx: Queryable, change: StatusChange): Promise<StoredPayment> {
  const { payment, to, amount, actor, reason, requestId, now } = change;
  const fees = feesOf(amount, { ppm: payment.feePpm, fixed: payment.feeFixed });
  const reviewSince = to === 'review' ? now : null;
  const money = { ...fees, amount, ...approvalOf(change) };
  const counted = { events: payment.events + 1, moves: payment.moves + 1 };
  const changed = { ...payment, ...money, ...counted, status: to, reviewSince };
  const event = newEvent({
    type: 'payment.status_changed',
    view: change.view(changed),
    sequence: changed.events,
    ordinal: changed.moves,
    previousStatus: payment.status,
    actor,
    reason,
    requestId,
    at: now,
  });
  const values = {
    status: to,
    amount,
    fee_amount: fees.feeAmount,
    liquid_value: fees.liquidValue,
    review_since: changed.reviewSince,
    approved_at: changed.approvedAt,
    received: changed.received,
    moves: changed.moves,
    ...chargeAfter(change),
  };
  if (!(await writeChange(trx, payment, { values, event })))
    throw new StatusChanged(`payment ${payment.id} is no longer ${payment.status}`);
  if (change.by) await recordMove(trx, change.by, change, event.committed.event.id);
  return changed;
}

/** A payment is approved at most once. */
function approvalOf({ payment, to, amount, now }: StatusChange) {
  const { approvedAt, received } = payment;
  return to === 'approved' && approvedAt === null
    ? { approvedAt: now, received: amount }
    : { approvedAt, received };
}

/** A charge that somebody cancels is withdrawn at the PSP; a paid or expired one needs no more work. */
function chargeAfter({ payment, to, actor, now }: StatusChange): Changed {
  if (payment.status !== 'pending') return {};
  const isCancelled = to === 'not_approved' && isDecision(actor);
  if (isCancelled && payment.chargeState === 'registered')
    return { charge_state: 'cancelling', charge_try_at: now, charge_tries: 0 };
  return { charge_state: 'closed', charge_try_at: null };
}

async function recordMove(trx: Queryable, by: Author, change: StatusChange, eventId: string): Promise<void> {
  const { payment, to, now } = change;
  await recordChange(trx, by, {
    action: 'payment.status_changed',
    at: now,
    storeId: payment.storeId,
    paymentId: payment.id,
    eventId,
    from: { status: payment.status },
    to: { status: to },
  });
}

/** Something of a payment that changed without its status. */
export type Update = Pick<StatusChange, 'payment' | 'actor' | 'requestId' | 'now' | 'view'> & {
  /** The new value; money in centavos. */
  changed: { amount: number } | { copyAndPaste: string };
  /** Further columns that change with it, and that no read shows. */
  values?: Changed;
};

/**
 * Sets a locked payment's amount with its fees, or its code, and inserts the `payment.updated` that tells it.
 * @throws StatusChanged if the payment moved meanwhile
 */
export async function updatePayment(trx: Queryable, update: Update): Promise<StoredPayment> {
  const { payment, actor, requestId, now, view } = update;
  const changed = { ...payment, ...changeOf(update), events: payment.events + 1 };
  const [before, after] = [view(payment), view(changed)];
  const { amount, feeAmount, liquidValue, copyAndPaste } = changed;
  const money = { amount, fee_amount: feeAmount, liquid_value: liquidValue };
  const event = newEvent({
    type: 'payment.updated',
    view: after,
    sequence: changed.events,
    ordinal: await countLike(trx, after),
    previous: differences(before, after),
    actor,
    reason: null,
    requestId,
    at: now,
  });
  const values = 'amount' in update.changed ? money : { copy_and_paste: copyAndPaste };
  if (!(await writeChange(trx, payment, { values: { ...values, ...update.values }, event })))
    throw new StatusChanged(`payment ${payment.id} moved meanwhile`);
  return changed;
}

function changeOf({ payment, changed }: Update): Partial<StoredPayment> {
  if (!('amount' in changed)) return changed;
  return { ...changed, ...feesOf(changed.amount, { ppm: payment.feePpm, fixed: payment.feeFixed }) };
}

/** @returns what the fields of a payment that changed were, in the order in which receivers see them */
function differences(before: PaymentView, after: PaymentView): Partial<PaymentView> {
  const names = Object.keys(before) as (keyof PaymentView)[];
  return Object.fromEntries(
    names.filter((name) => before[name] !== after[name]).map((name) => [name, before[name]]),
  );
}

/**
 * Inserts the `refund.updated` that tells a refund's state.
 * @param previous what was told of it before; undefined if it is new
 * @throws StatusChanged if the payment moved meanwhile
 */
export async function tellRefund(
  trx: Queryable,
  { payment, refund, previous, ordinal, actor, requestId, now, view }: TellRefund,
): Promise<StoredPayment> {
  const sequence = payment.events + 1;
  const event = newEvent({
    type: 'refund.updated',
    view: view(payment),
    sequence,
    ordinal,
    refund,
    ...(previous && { previousStatus: previous.status }),
    actor,
    reason: refund.reason,
    requestId,
    at: now,
  });
  if (!(await writeChange(trx, payment, { values: {}, event })))
    throw new StatusChanged(`payment ${payment.id} moved meanwhile`);
  return { ...payment, events: sequence };
}

export type TellRefund = Pick<StatusChange, 'payment' | 'actor' | 'requestId' | 'now' | 'view'> & {
  refund: RefundView;
  previous: RefundView | undefined;
  /** How often the payment's events told this state of it before. */
  ordinal: number;
};

/** @returns how often the payment was told with this amount and code, other than by a status */
async function countLike(trx: Queryable, view: PaymentView): Promise<number> {
  const told = await trx
    .selectFrom('events')
    .select('payload')
    .where('paymentId', '=', view.id)
    .where('type', '=', 'payment.updated')
    .execute();
  const essence = (payment: PaymentView) => essenceOf({ type: 'payment.updated', payment });
  return told.filter(({ payload }) => essence(payload) === essence(view)).length;
}

/** @returns what the payment's events told of its refunds, in their order */
export async function listToldRefunds(trx: Queryable, paymentId: string): Promise<RefundView[]> {
  const told = await trx
    .selectFrom('events')
    .select('refund')
    .where('paymentId', '=', paymentId)
    .where('refund', 'is not', null)
    .orderBy('sequence')
    .execute();
  return told.flatMap(({ refund }) => refund ?? []);
}
