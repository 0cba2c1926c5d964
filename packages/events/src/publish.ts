import type { PaymentEvent } from '@payments/domain/events';
import { traced } from '@payments/tracing/tracing';
import { headers, JSONCodec } from 'nats';
import type { EventsConnection } from './connection.ts';
import { subjectOf } from './topology.ts';

export type Publication = {
  event: PaymentEvent;
  storeId: string;
  requestId: string | null;
  traceParent: string | null;
};

/** The header that carries the id of the request that caused an event. */
export const requestIdHeader = 'Request-Id';

/** The header that carries the trace on (W3C Trace Context). */
export const traceParentHeader = 'traceparent';

function inSpan<T>(
  { event, traceParent }: Publication,
  run: (traceParent: string | null) => Promise<T>,
): Promise<T> {
  const attributes = {
    'messaging.system': 'nats',
    'messaging.operation.name': 'publish',
    'messaging.message.id': event.id,
    'payment.id': event.payment.id,
  };
  // What was not traced where it began is not traced from here on.
  if (!traceParent) return run(null);
  return traced(`publish ${event.type}`, { kind: 'producer', attributes, parent: traceParent }, (span) =>
    run(span?.traceparent() ?? traceParent),
  );
}

const codec = JSONCodec<PaymentEvent>();

/**
 * Publishes events and waits until JetStream has stored them. `Nats-Msg-Id` is the event's id, so that a repeat
 * within the stream's window is dropped there already.
 * @returns the ids that were stored; the others may be sent again
 * @throws EventsUnavailable while NATS is away
 */
export async function publish(
  connection: EventsConnection,
  batch: readonly Publication[],
): Promise<string[]> {
  const jetstream = connection.ready().jetstream({ timeout: 5_000 });
  const sent = await Promise.allSettled(
    batch.map((publication) =>
      inSpan(publication, async (traceParent) => {
        const { event, storeId, requestId } = publication;
        const subject = subjectOf(connection.stream, storeId, event.type);
        const carried = headers();
        if (requestId) carried.set(requestIdHeader, requestId);
        if (traceParent) carried.set(traceParentHeader, traceParent);
        await jetstream.publish(subject, codec.encode(event), { msgID: event.id, headers: carried });
        return event.id;
      }),
    ),
  );
  const stored = sent.filter((result) => result.status === 'fulfilled').map((result) => result.value);
  // Nothing was taken: the stream itself may be gone, with the broker's data.
  if (stored.length === 0 && batch.length > 0) await connection.ensureTopology();
  return stored;
}
