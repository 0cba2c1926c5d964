import { setTimeout as delay } from 'node:timers/promises';
import type { CommittedEvent } from '@payments/domain/events';
import { currentTraceparent, SpanKind, traced } from '@payments/tracing/tracing';
import { headers } from 'nats';
import { StreamMissing, StreamRefusal } from './acknowledged.ts';
import type { EventsConnection } from './connection.ts';
import { subjectOf } from './stream.ts';

/** The header that is `none` for an event without a delivery. */
export const deliveryHeader = 'Delivery';

const streamMs = 2_000;

/**
 * Publishes events and waits until JetStream has stored them. It drops a repeat within the stream's window.
 * @returns the ids that were stored; the others may be sent again
 * @throws EventsUnavailable while NATS is down; an error with JetStream's reason if it refused all, or is silent
 */
export async function publish(
  connection: EventsConnection,
  batch: readonly CommittedEvent[],
): Promise<string[]> {
  if (batch.length === 0) return [];
  connection.ready();
  const results = await Promise.allSettled(batch.map((one) => publishEvent(connection, one)));
  const stored = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (stored.length > 0) return stored;
  // The stream itself may be gone, with the broker's data. Not waited for long: the sweep holds a transaction.
  const isThere = connection.ensureStream().then(() => true);
  if (!(await Promise.race([isThere, delay(streamMs, false, { ref: false })])))
    throw new Error(`JetStream says nothing about the stream ${connection.stream}: its servers may be gone`);
  // A missing stream was made anew just now: its events go out next time.
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  const failure = failures.find((reason) => !(reason instanceof StreamMissing));
  if (failure instanceof StreamRefusal) throw new Error(`JetStream refuses events: ${failure.message}`);
  // Nobody else would tell of it, since the stream is there. A user who may not publish, for example, gets no answer.
  if (failure) throw new Error(`JetStream confirms no event of ${connection.stream}: ${failure.message}`);
  return [];
}

/**
 * Publishes one event and waits until JetStream has stored it.
 * @returns its id
 * @throws EventsUnavailable; StreamRefusal; NatsError for an event that is too large
 */
export async function publishEvent(
  connection: EventsConnection,
  { event, storeId, requestId, traceParent, hasDelivery }: CommittedEvent,
): Promise<string> {
  const sent = headers();
  // JetStream drops a message whose id it has stored already.
  sent.set('Nats-Msg-Id', event.id);
  if (!hasDelivery) sent.set(deliveryHeader, 'none');
  if (requestId) sent.set('Request-Id', requestId);
  const attributes = {
    'messaging.system': 'nats',
    'messaging.operation.name': 'publish',
    'messaging.message.id': event.id,
    'payment.id': event.payment.id,
  };
  const options = { kind: SpanKind.PRODUCER, attributes, traceparent: traceParent };
  return traced(`publish ${event.type}`, options, async () => {
    if (traceParent) sent.set('traceparent', currentTraceparent() ?? traceParent);
    const subject = subjectOf(connection.stream, storeId, event.type);
    await connection.send({ subject, text: JSON.stringify(event), headers: sent });
    return event.id;
  });
}
