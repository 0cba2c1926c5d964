import type { CommittedEvent } from '@payments/domain/events';
import { eventIdOf } from '@payments/domain/identifiers';
import type { PaymentView } from '@payments/domain/payment';
import type { PaymentStatus } from '@payments/domain/status';
import { currentTraceparent } from '@payments/tracing/tracing';
import { type RawBuilder, sql } from 'kysely';
import { insertRows } from '../json-rows.ts';

/** A payment's event, and who or what caused it. */
export type NewEvent = {
  /** The payment as receivers see it. */
  view: PaymentView;
  webhookUrl: string | null;
  sequence: number;
  /** Null for `payment.created`. */
  previousStatus: PaymentStatus | null;
  actor: string;
  reason: string | null;
  requestId: string | null;
  at: Date;
};

/** An event that is still to be inserted. */
export type UnwrittenEvent = Pick<NewEvent, 'actor' | 'reason'> & { committed: CommittedEvent };

/** @returns the event, with its id, in the caller's trace */
export function newEvent({ view, previousStatus, ...given }: NewEvent): UnwrittenEvent {
  const { webhookUrl, sequence, actor, reason, requestId, at } = given;
  const event = {
    id: eventIdOf(view.id, sequence, view.status),
    type: previousStatus === null ? ('payment.created' as const) : ('payment.status_changed' as const),
    sequence,
    occurredAt: at.toISOString(),
    payment: view,
    ...(previousStatus === null ? {} : { previousStatus }),
  };
  const traceParent = currentTraceparent();
  const of = { storeId: view.storeId, requestId, traceParent, hasDelivery: webhookUrl !== null };
  return { actor, reason, committed: { event, ...of } };
}

/** Inserts events of the payments that the surrounding statement has inserted or moved as `payment`. */
export function insertEvents(events: readonly UnwrittenEvent[]): RawBuilder<{ paymentId: string }> {
  const ofThese = sql`payment_id in (select id from payment)`;
  return sql`
    (${insertRows('events', events.map(eventRowOf), ofThese)}
    returning id, payment_id, store_id, sequence, request_id)`;
}

export function eventRowOf({ actor, reason, committed }: UnwrittenEvent) {
  const { event, storeId, requestId, traceParent } = committed;
  return {
    id: event.id,
    payment_id: event.payment.id,
    store_id: storeId,
    sequence: event.sequence,
    type: event.type,
    status: event.payment.status,
    previous_status: event.previousStatus ?? null,
    payload: event.payment,
    actor,
    reason,
    request_id: requestId,
    trace_parent: traceParent,
    occurred_at: event.occurredAt,
  };
}

/**
 * Inserts deliveries of the events that the surrounding statement inserts as `event`.
 * @param isDue SQL: whether they are due now; otherwise they wait for the first attempt of the event before
 */
export function insertDeliveriesOfEvents(isDue: RawBuilder<boolean>): RawBuilder<Record<string, never>> {
  return sql`(
    insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, request_id, state, next_attempt_at,
      created_at)
    select event.id, payment_id, event.store_id, sequence, webhook_url, endpoint_of(event.store_id, webhook_url),
      request_id, 'pending', case when ${isDue} then now() end, now()
    from event join payment on payment.id = payment_id
    where webhook_url is not null)`;
}
