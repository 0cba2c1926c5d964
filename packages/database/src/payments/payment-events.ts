import { type CommittedEvent, type EventDetails, type EventType, essenceOf } from '@payments/domain/events';
import { eventIdOf } from '@payments/domain/identifiers';
import type { PaymentView } from '@payments/domain/payment';
import { currentTraceparent } from '@payments/tracing/tracing';
import type { Queryable } from '../connection.ts';
import { type Row, run } from '../run.ts';
import { eventWritten } from '../transaction.ts';
import type { StoredPayment } from './payments.ts';

/** A payment's event, and who or what caused it. */
export type NewEvent = EventDetails & {
  type: EventType;
  /** The payment as receivers see it. */
  view: PaymentView;
  sequence: number;
  /** By which its id is made (see `eventIdOf`). */
  ordinal: number;
  actor: string;
  reason: string | null;
  requestId: string | null;
  at: Date;
};

/** An event that is still to be inserted. */
export type UnwrittenEvent = Pick<NewEvent, 'actor' | 'reason'> & {
  committed: Omit<CommittedEvent, 'hasDelivery'>;
};

/** @returns the event, with its id, in the caller's trace */
export function newEvent({ view, ordinal, actor, reason, requestId, at, ...said }: NewEvent) {
  const { type, sequence, ...details } = said;
  const content = { type, sequence, occurredAt: at.toISOString(), payment: view, ...details };
  const event = { id: eventIdOf(view.id, ordinal, essenceOf(content)), ...content };
  const committed = { event, storeId: view.storeId, requestId, traceParent: currentTraceparent() };
  return { actor, reason, committed } satisfies UnwrittenEvent;
}

/** @returns the event's row but for its place, which the statement gives it */
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
    previous: event.previous ?? null,
    refund: event.refund ?? null,
    actor,
    reason,
    request_id: requestId,
    trace_parent: traceParent,
    occurred_at: event.occurredAt,
  } satisfies Omit<Row<'events'>, 'place'>;
}

/** Columns of a payment that a change sets. */
export type Changed = Row<'payments'>;

/**
 * The statement of a change: sets these columns of a payment ($1), unless it has another event than the one before, and
 * inserts its event ($2), the delivery and what is to be published. A delivery waits for the first attempt of the one
 * before it: the lock orders this statement and the record of that attempt, so that the second one sees what the first
 * one committed.
 */
const changing = (columns: readonly string[]) => `
  with payment as (
    update payments p set ${columns.map((column) => `${column} = n.${column}`).join(', ')}
    from json_populate_record(null::payments, $1) n
    where p.id = n.id and p.events = n.events - 1
    returning p.id, p.store_id, p.webhook_url, p.keeps_responses
  ), event as (
    insert into events (id, payment_id, store_id, sequence, type, status, previous_status, payload, previous, refund,
      actor, reason, request_id, trace_parent, occurred_at, place)
    select id, payment_id, store_id, sequence, type, status, previous_status, payload, previous, refund,
      actor, reason, request_id, trace_parent, occurred_at,
      greatest(feed_place(),
        (select place from events b where b.payment_id = n.payment_id and b.sequence = n.sequence - 1))
    from json_populate_record(null::events, $2) n
    where payment_id in (select id from payment)
    returning id, payment_id, store_id, sequence, type, request_id
  ), waited_for as (
    select id from deliveries
    where id = (
        select b.id from event join events b on b.payment_id = event.payment_id join deliveries on deliveries.id = b.id
        where b.sequence < event.sequence order by b.sequence desc limit 1)
      and not attempted
    for no key update
  ), delivery as (
    insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, request_id, state, next_attempt_at,
      created_at, keeps_responses)
    select event.id, payment_id, event.store_id, sequence, webhook_url, endpoint_of(event.store_id, webhook_url),
      request_id, 'pending', case when not exists (select from waited_for) then now() end, now(), keeps_responses
    from event join payment on payment.id = payment_id
    where webhook_url is not null and (type in ('payment.created', 'payment.status_changed')
      or type = any((select events from stores where stores.id = event.store_id)::text[]))
    returning id
  ), left_to_publish as (
    insert into outbox (event_id) select id from event
  )
  select exists (select from delivery) as "hasDelivery" from event`;

/**
 * Changes a payment and writes the event that tells it, in one statement: the event is the payment's next one.
 * @param payment as it was locked or read
 * @param values the columns to set beside `events`
 * @returns whether it was written; not if the payment has another event meanwhile
 */
export async function writeChange(
  trx: Queryable,
  payment: Pick<StoredPayment, 'id' | 'events'>,
  { values, event }: { values: Changed; event: UnwrittenEvent },
): Promise<boolean> {
  const changed = { ...values, events: payment.events + 1 };
  const [written] = await run<{ hasDelivery: boolean }>(trx, changing(Object.keys(changed)), [
    JSON.stringify({ ...changed, id: payment.id }),
    JSON.stringify(eventRowOf(event)),
  ]);
  if (written) eventWritten(trx, { ...event.committed, ...written });
  return written !== undefined;
}
