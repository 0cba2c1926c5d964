import { setTimeout as delay } from 'node:timers/promises';
import type { PaymentEvent } from '@payments/domain/events';
import { openSpan, type Span } from '@payments/tracing/tracing';
import { headers } from 'nats';
import type { EventsConnection } from './connection.ts';
import { subjectOf } from './subjects.ts';

export type Publication = {
  event: PaymentEvent;
  storeId: string;
  requestId: string | null;
  traceParent: string | null;
  /** True if it has a delivery to attempt. */
  hasDelivery: boolean;
};

/** The header that carries the id of the request that caused an event. */
export const requestIdHeader = 'Request-Id';

/** The header that is `none` for an event without a delivery. */
export const deliveryHeader = 'Delivery';

/** The header that carries the trace (W3C Trace Context). */
export const traceParentHeader = 'traceparent';

const deadlineMs = 3_000;
const streamMs = 2_000;

/**
 * Publishes events and waits until JetStream has stored them. `Nats-Msg-Id` is the event's id, so JetStream drops a
 * repeat within the stream's window.
 * @returns the ids that were stored; the others may be sent again
 * @throws EventsUnavailable while NATS is down; an error with JetStream's reason if it refused all, or is silent
 */
export async function publish(
  connection: EventsConnection,
  batch: readonly Publication[],
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
  const refusal = results.find((result) => result.status === 'rejected' && result.reason?.api_error);
  if (refusal?.status === 'rejected') {
    throw new Error(`JetStream refuses events: ${refusal.reason.api_error.description}`);
  }
  return [];
}

/**
 * Publishes one event and waits until JetStream has stored it.
 * @returns its id
 * @throws EventsUnavailable while NATS is down; NatsError if JetStream did not confirm
 */
export async function publishEvent(
  connection: EventsConnection,
  { event, storeId, requestId, traceParent, hasDelivery }: Publication,
): Promise<string> {
  const jetstream = connection.ready().jetstream();
  const span = openSpanOf(event, traceParent);
  const sent = headers();
  if (!hasDelivery) sent.set(deliveryHeader, 'none');
  if (requestId) sent.set(requestIdHeader, requestId);
  if (traceParent) sent.set(traceParentHeader, span?.traceparent() ?? traceParent);
  const options = { msgID: event.id, headers: sent, timeout: deadlineMs };
  try {
    await jetstream.publish(
      subjectOf(connection.stream, storeId, event.type),
      JSON.stringify(event),
      options,
    );
    return event.id;
  } catch (error) {
    span?.failed(error);
    throw error;
  } finally {
    span?.end();
  }
}

/** An event without a trace starts none here. */
function openSpanOf(event: PaymentEvent, traceParent: string | null): Span | undefined {
  if (!traceParent) return undefined;
  const attributes = {
    'messaging.system': 'nats',
    'messaging.operation.name': 'publish',
    'messaging.message.id': event.id,
    'payment.id': event.payment.id,
  };
  return openSpan(`publish ${event.type}`, { kind: 'producer', attributes, parent: traceParent });
}
