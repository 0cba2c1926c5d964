import { setTimeout as delay } from 'node:timers/promises';
import type { PaymentEvent } from '@payments/domain/events';
import { openSpan, type Span } from '@payments/tracing/tracing';
import { MsgHdrsImpl, type NatsConnection } from 'nats';
import { acknowledgementsOf } from './acknowledgements.ts';
import type { EventsConnection } from './connection.ts';
import { EventsUnavailable } from './errors.ts';
import { subjectOf } from './topology.ts';

export type Publication = {
  event: PaymentEvent;
  storeId: string;
  requestId: string | null;
  traceParent: string | null;
  /** Whether it has a delivery, which is to be attempted. */
  hasDelivery: boolean;
};

/** The header that carries the id of the request that caused an event. */
export const requestIdHeader = 'Request-Id';

/** The header that says `none` of an event that has no delivery. */
export const deliveryHeader = 'Delivery';

/** The header that carries the trace on (W3C Trace Context). */
export const traceParentHeader = 'traceparent';

const deadlineMs = 5_000;
const topologyMs = 2_000;

/**
 * Publishes events and waits until JetStream has stored them. `Nats-Msg-Id` is the event's id, so that a repeat
 * within the stream's window is dropped there already.
 * @returns the ids that were stored; the others may be sent again
 * @throws EventsUnavailable while NATS is away; an error with JetStream's reason when it refused all
 */
export async function publish(
  connection: EventsConnection,
  batch: readonly Publication[],
): Promise<string[]> {
  if (batch.length === 0) return [];
  const { stored, refusal } = await sendAll(connection, batch);
  if (stored.size === 0) {
    // Nothing was taken: the stream itself may be gone, with the broker's data. Not waited for long: the sweep holds a
    // transaction meanwhile.
    await Promise.race([connection.ensureTopology(), delay(topologyMs, undefined, { ref: false })]);
    if (refusal) throw new Error(`JetStream refuses events: ${refusal}`);
  }
  return batch.map(({ event }) => event.id).filter((id) => stored.has(id));
}

type Sent = { stored: Set<string>; refusal: string | undefined };

/** Resolves with the ids that were stored, when all are answered for or the time is up. */
function sendAll(connection: EventsConnection, batch: readonly Publication[]): Promise<Sent> {
  const nats = connection.ready();
  const acknowledgements = acknowledgementsOf(connection);
  const stored = new Set<string>();
  let refusal: string | undefined;
  return new Promise((resolve) => {
    const unanswered = new Set<string>();
    const deadline = setTimeout(() => acknowledgements.giveUp([...unanswered]), deadlineMs);
    const end = () => {
      clearTimeout(deadline);
      resolve({ stored, refusal });
    };
    const expect = ({ event }: Publication, span: Span | undefined) => {
      const replyTo = acknowledgements.expect((isStored, reason) => {
        refusal ??= reason;
        if (isStored) stored.add(event.id);
        else span?.failed(new EventsUnavailable('not confirmed'));
        span?.end();
        unanswered.delete(replyTo);
        if (unanswered.size === 0) end();
      });
      unanswered.add(replyTo);
      return replyTo;
    };
    const spans = batch.map(openSpanOf);
    // All are expected before the first is sent: what can't be sent is answered for at once.
    const replies = batch.map((publication, index) => expect(publication, spans[index]));
    for (const [index, publication] of batch.entries()) {
      const replyTo = replies[index] as string;
      try {
        send(nats, connection.stream, publication, { span: spans[index], replyTo });
      } catch {
        acknowledgements.giveUp([replyTo]);
      }
    }
  });
}

type Sending = { span: Span | undefined; replyTo: string };

function send(nats: NatsConnection, stream: string, publication: Publication, sending: Sending): void {
  const { event, storeId, requestId, traceParent, hasDelivery } = publication;
  const headers: Record<string, string[]> = { 'Nats-Msg-Id': [event.id] };
  if (!hasDelivery) headers[deliveryHeader] = ['none'];
  if (requestId) headers[requestIdHeader] = [requestId];
  if (traceParent) headers[traceParentHeader] = [sending.span?.traceparent() ?? traceParent];
  nats.publish(subjectOf(stream, storeId, event.type), JSON.stringify(event), {
    headers: MsgHdrsImpl.fromRecord(headers),
    reply: sending.replyTo,
  });
}

/** What was not traced where it began is not traced from here on. */
function openSpanOf({ event, traceParent }: Publication): Span | undefined {
  if (!traceParent) return undefined;
  const attributes = {
    'messaging.system': 'nats',
    'messaging.operation.name': 'publish',
    'messaging.message.id': event.id,
    'payment.id': event.payment.id,
  };
  return openSpan(`publish ${event.type}`, { kind: 'producer', attributes, parent: traceParent });
}
