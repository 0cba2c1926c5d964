import type { PaymentEvent } from '@payments/domain/events';
import { DeliverPolicy, type JsMsg, type OrderedConsumerOptions } from 'nats';
import { EventsUnavailable } from './acknowledged.ts';
import type { EventsConnection } from './connection.ts';

const atOnce = 500;

/**
 * Reads what the stream has kept since a moment, oldest first, in batches. It changes nothing there.
 * @throws EventsUnavailable; NatsError without the stream
 */
export async function* readBack(connection: EventsConnection, since: Date): AsyncGenerator<PaymentEvent[]> {
  const which = { deliver_policy: DeliverPolicy.StartTime, opt_start_time: since.toISOString() };
  for await (const batch of readStream(connection, which, 2_000))
    yield batch.flatMap((message) => eventOf(message) ?? []);
}

/** @returns the event; undefined for what somebody else published under our subjects */
export function eventOf(message: JsMsg): PaymentEvent | undefined {
  try {
    const event = message.json<PaymentEvent | null>();
    return event?.payment?.id === undefined ? undefined : event;
  } catch {
    return undefined;
  }
}

/**
 * Reads what the stream had at the call: new messages that never pause would else be read for ever.
 * @param patienceMs how long the next message may take. A server that catches up needs a while
 * @throws EventsUnavailable if it does not come: silence is no end
 */
export async function* readStream(
  connection: EventsConnection,
  which: Partial<OrderedConsumerOptions>,
  patienceMs: number,
): AsyncGenerator<JsMsg[]> {
  const nats = connection.ready();
  const consumer = await nats.jetstream().consumers.get(connection.stream, which);
  const manager = await nats.jetstreamManager();
  const { last_seq: last } = (await manager.streams.info(connection.stream)).state;
  let left = (await consumer.info()).num_pending;
  while (left > 0) {
    const batch: JsMsg[] = [];
    for await (const message of await consumer.fetch({ max_messages: atOnce, expires: patienceMs })) {
      batch.push(message);
      left = message.seq >= last ? 0 : message.info.pending;
      if (left === 0) break;
    }
    if (batch.length === 0) throw new EventsUnavailable(`JetStream keeps ${left} more and sends none`);
    yield batch;
  }
}
