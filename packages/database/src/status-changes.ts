import { newId } from '@payments/domain/identifiers';
import { paymentView } from '@payments/domain/payment';
import type { PaymentStatus } from '@payments/domain/status';
import { currentTraceparent } from '@payments/tracing/tracing';
import { sql } from 'kysely';
import { type Author, recordChange } from './changes.ts';
import type { Queryable } from './connection.ts';
import { leaveToPublish, type OutboxEvent } from './outbox.ts';
import { countMove } from './payment-counts.ts';
import type { StoredPayment } from './payments.ts';
import { eventWritten } from './transaction.ts';

export type StatusChange = {
  /** The payment as it was locked or read; its status is compared before it is set. */
  payment: StoredPayment;
  to: PaymentStatus;
  actor: string;
  /** The administrator who decided it, if one did. */
  by?: Author;
  reason: string | null;
  requestId: string | null;
  now: Date;
  publicUrl: string;
};

/** The payment's status was no longer the one that the decision was made on; nothing was written. */
export class StatusChanged extends Error {
  override readonly name = 'StatusChanged';
}

/**
 * Moves a payment (compare and set) and writes the `payment.status_changed` that tells of it (spec 6.2).
 * Call it inside a transaction; whether the move is allowed is the domain's to say.
 * @throws StatusChanged when the payment moved meanwhile
 */
export async function changeStatus(trx: Queryable, change: StatusChange): Promise<StoredPayment> {
  const { payment, to, now } = change;
  const sequence = payment.events + 1;
  const charge = chargeAfter(change);
  const { numUpdatedRows } = await trx
    .updateTable('payments')
    .set({
      status: to,
      events: sequence,
      review_since: to === 'review' ? now : null,
      updated_at: now,
      ...charge,
    })
    .where('id', '=', payment.id)
    .where('status', '=', payment.status)
    .where('events', '=', payment.events)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new StatusChanged(`payment ${payment.id} is no longer ${payment.status}`);
  await countMove(trx, { storeId: payment.storeId, from: payment.status, to });
  const changed = { ...payment, status: to, events: sequence, reviewSince: to === 'review' ? now : null };
  const event = eventOf(change, changed);
  await insertEvent(trx, change, changed, event);
  eventWritten(trx, event);
  return changed;
}

/** What an administrator cancels is withdrawn at the PSP too; a charge that is paid or expired needs no more work. */
function chargeAfter({ payment, to, actor, now }: StatusChange) {
  if (payment.status !== 'pending') return {};
  if (to === 'not_approved' && actor === 'administrator' && payment.chargeState === 'registered') {
    return { charge_state: 'cancelling' as const, charge_try_at: now, charge_tries: 0 };
  }
  return { charge_state: 'closed' as const, charge_try_at: null };
}

function eventOf(change: StatusChange, changed: StoredPayment): OutboxEvent {
  return {
    storeId: changed.storeId,
    requestId: change.requestId,
    traceParent: currentTraceparent(),
    hasDelivery: changed.webhookUrl !== null,
    event: {
      id: newId(),
      type: 'payment.status_changed',
      sequence: changed.events,
      occurredAt: change.now.toISOString(),
      payment: paymentView(changed, change.publicUrl),
      previousStatus: change.payment.status,
    },
  };
}

async function insertEvent(
  trx: Queryable,
  change: StatusChange,
  changed: StoredPayment,
  { event, storeId, requestId, traceParent }: OutboxEvent,
): Promise<void> {
  const inserted = trx
    .insertInto('events')
    .values({
      id: event.id,
      payment_id: changed.id,
      store_id: storeId,
      sequence: event.sequence,
      type: event.type,
      status: changed.status,
      previous_status: change.payment.status,
      payload: JSON.stringify(event.payment),
      actor: change.actor,
      reason: change.reason,
      request_id: requestId,
      trace_parent: traceParent,
      occurred_at: change.now,
      ledgered_at: changed.webhookUrl === null ? change.now : null,
    })
    .returning('id');
  await sql`with event as (${inserted}) ${leaveToPublish}`.execute(trx);
  if (!change.by) return;
  await recordChange(trx, change.by, {
    action: 'payment.status_changed',
    at: change.now,
    storeId: changed.storeId,
    paymentId: changed.id,
    eventId: event.id,
    from: { status: change.payment.status },
    to: { status: changed.status },
  });
}
