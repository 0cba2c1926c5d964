import type { PaymentEvent } from '@payments/domain/events';
import { DeliverPolicy } from 'nats';
import type { EventsConnection } from './connection.ts';

const atOnce = 500;
const endMs = 2_000;

/**
 * Reads what the stream has kept since a moment, oldest first, in batches. It changes nothing there.
 * @throws EventsUnavailable; NatsError without the stream
 */
export async function* readBack(connection: EventsConnection, since: Date): AsyncGenerator<PaymentEvent[]> {
  const jetstream = connection.ready().jetstream();
  const consumer = await jetstream.consumers.get(connection.stream, {
    deliver_policy: DeliverPolicy.StartTime,
    opt_start_time: since.toISOString(),
  });
  for (;;) {
    const batch: PaymentEvent[] = [];
    const messages = await consumer.fetch({ max_messages: atOnce, expires: endMs });
    for await (const message of messages) batch.push(message.json<PaymentEvent>());
    if (batch.length === 0) return;
    yield batch;
  }
}
