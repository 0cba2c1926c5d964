import { feesOf } from '@payments/domain/fees';
import type { Payment, PaymentView } from '@payments/domain/payment';
import { isDecision, type PaymentStatus } from '@payments/domain/status';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { leaveToPublish } from '../events/outbox.ts';
import { type Author, recordChange } from '../record/changes.ts';
import { eventWritten } from '../transaction.ts';
import { insertDeliveriesOfEvents, insertEvents, newEvent } from './payment-events.ts';
import type { StoredPayment } from './payments.ts';

export type StatusChange = {
  /** The payment as it was locked or read. The update compares its status. */
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
  const changed = { ...payment, ...money, status: to, events: payment.events + 1, reviewSince };
  const event = newEvent({
    view: change.view(changed),
    webhookUrl: payment.webhookUrl,
    sequence: changed.events,
    previousStatus: payment.status,
    actor,
    reason,
    requestId,
    at: now,
  });
  const written = await trx
    .with('payment', (db) =>
      db
        .updateTable('payments')
        .set({
          status: to,
          amount,
          feeAmount: fees.feeAmount,
          liquidValue: fees.liquidValue,
          events: changed.events,
          reviewSince: changed.reviewSince,
          approvedAt: changed.approvedAt,
          received: changed.received,
          ...chargeAfter(change),
        })
        .where('id', '=', payment.id)
        .where('status', '=', payment.status)
        .where('events', '=', payment.events)
        .returning(['id', 'storeId', 'webhookUrl']),
    )
    .with('event', () => insertEvents([event]))
    .with('waited_for', () => unattempted(payment))
    .with('delivery', () => insertDeliveriesOfEvents(sql<boolean>`not exists (select from waited_for)`))
    .with('left_to_publish', () => sql`(${leaveToPublish})`)
    .selectFrom('event')
    .select('paymentId')
    .execute();
  if (written.length === 0) throw new StatusChanged(`payment ${payment.id} is no longer ${payment.status}`);
  if (change.by) await recordMove(trx, change.by, change, event.committed.event.id);
  eventWritten(trx, event.committed);
  return changed;
}

/** A payment is approved at most once. */
function approvalOf({ payment, to, amount, now }: StatusChange) {
  const { approvedAt, received } = payment;
  return to === 'approved' && approvedAt === null
    ? { approvedAt: now, received: amount }
    : { approvedAt, received };
}

/** A charge that an administrator or the store cancels is withdrawn at the PSP; a paid or expired one needs no more work. */
function chargeAfter({ payment, to, actor, now }: StatusChange) {
  if (payment.status !== 'pending') return {};
  const isCancelled = to === 'not_approved' && isDecision(actor);
  if (isCancelled && payment.chargeState === 'registered')
    return { chargeState: 'cancelling' as const, chargeTryAt: now, chargeTries: 0 };
  return { chargeState: 'closed' as const, chargeTryAt: null };
}

/**
 * Selects the previous event's delivery if its first attempt is not recorded: the new delivery waits for it. The lock
 * orders this statement and the record: the second one sees what the first one committed.
 */
function unattempted({ id, events }: StoredPayment) {
  return sql<{ id: string }>`
    (select id from deliveries
    where id = (select id from events where payment_id = ${id} and sequence = ${events}) and not attempted
    for no key update)`;
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
