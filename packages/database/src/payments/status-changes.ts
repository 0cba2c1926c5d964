import { feesOf } from '@payments/domain/fees';
import { newId } from '@payments/domain/identifiers';
import { paymentView } from '@payments/domain/payment';
import type { PaymentStatus } from '@payments/domain/status';
import { currentTraceparent } from '@payments/tracing/tracing';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { insertDeliveries } from '../deliveries/insert.ts';
import { leaveToPublish, type OutboxEvent } from '../events/outbox.ts';
import { type Author, recordChange } from '../operations/changes.ts';
import { eventWritten } from '../transaction.ts';
import { countMove } from './counts.ts';
import type { StoredPayment } from './payments.ts';

export type StatusChange = {
  /** The payment as it was locked or read; its status is compared before it is set. */
  payment: StoredPayment;
  to: PaymentStatus;
  /** What it is worth then, in centavos. */
  amount: number;
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
 * Moves a payment (compare and set) and writes the `payment.status_changed` that tells of it (spec 6.2) with its delivery,
 * in one statement. Call it inside a transaction; whether the move is allowed is the domain's to say.
 * @throws StatusChanged when the payment moved meanwhile
 */
export async function changeStatus(trx: Queryable, change: StatusChange): Promise<StoredPayment> {
  const { payment, to, amount, now } = change;
  const reviewSince = to === 'review' ? now : null;
  const money = { amount, ...feesOf(amount, payment.feeTerms) };
  const changed = { ...payment, ...money, status: to, events: payment.events + 1, reviewSince };
  const event = eventOf(change, changed);
  const { rows: moved } = await sql`
    with moved as (
      update payments set status = ${to}, amount = ${money.amount}, fee_amount = ${money.feeAmount},
        liquid_value = ${money.liquidValue}, events = ${changed.events}, review_since = ${reviewSince}
        ${chargeAfter(change)}
      where id = ${payment.id} and status = ${payment.status} and events = ${payment.events}
      returning id, store_id
    ), ${countMove({ from: payment.status, to })}, event as (
      ${insertEvent(change, changed, event)}
    ) ${insertDelivery(change, changed)}, left_to_publish as (${leaveToPublish})
    select id from moved`.execute(trx);
  if (moved.length === 0) throw new StatusChanged(`payment ${payment.id} is no longer ${payment.status}`);
  if (change.by) await recordMove(trx, change.by, change, event);
  eventWritten(trx, event);
  return changed;
}

/** What an administrator cancels is withdrawn at the PSP too; a charge that is paid or expired needs no more work. */
function chargeAfter({ payment, to, actor, now }: StatusChange): RawBuilder<unknown> {
  if (payment.status !== 'pending') return sql``;
  if (to === 'not_approved' && actor === 'administrator' && payment.chargeState === 'registered') {
    return sql`, charge_state = 'cancelling', charge_try_at = ${now}, charge_tries = 0`;
  }
  return sql`, charge_state = 'closed', charge_try_at = null`;
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

/** Of the payment that is `moved`. */
function insertEvent(
  { payment, actor, reason, now }: StatusChange,
  changed: StoredPayment,
  { event, requestId, traceParent }: OutboxEvent,
): RawBuilder<unknown> {
  return sql`insert into events (id, payment_id, store_id, sequence, type, status, previous_status, payload, actor,
        reason, request_id, trace_parent, occurred_at)
      select ${event.id}::uuid, id, store_id, ${event.sequence}::int, ${event.type}, ${changed.status},
        ${payment.status}, ${JSON.stringify(event.payment)}::json, ${actor}, ${reason}, ${requestId}, ${traceParent},
        ${now}::timestamptz
      from moved
      returning id, payment_id, store_id, sequence, request_id`;
}

/**
 * Its delivery waits for the first attempt of the one before it, where that is yet to be recorded. Its lock makes this and
 * the record see each other: whichever comes second finds what the first one committed.
 * @returns more of the `with` list, after `moved` and `event`
 */
function insertDelivery({ payment }: StatusChange, { webhookUrl }: StoredPayment): RawBuilder<unknown> {
  if (webhookUrl === null) return sql``;
  return sql`, waited_for as materialized (
      select d.* from moved, lateral (
        select id from events where payment_id = moved.id and sequence = ${payment.events}::int limit 1
      ) before, lateral (
        select id from deliveries where id = before.id and (not attempted) is true limit 1 for no key update
      ) d
    ), delivery as (${insertDeliveries(sql`
      select id, payment_id, store_id, sequence, ${webhookUrl} as url, request_id, not exists (select from waited_for) as due
      from event`)})`;
}

async function recordMove(
  trx: Queryable,
  by: Author,
  { payment, to, now }: StatusChange,
  { event }: OutboxEvent,
): Promise<void> {
  await recordChange(trx, by, {
    action: 'payment.status_changed',
    at: now,
    storeId: payment.storeId,
    paymentId: payment.id,
    eventId: event.id,
    from: { status: payment.status },
    to: { status: to },
  });
}
