import type { PaymentEvent } from '@payments/domain/events';
import type { EventsConnection } from './connection.ts';
import { subjectPrefix } from './subjects.ts';

/**
 * Deletes the events of payments from JetStream, and overwrites their bytes.
 * @param payments the ids, and their stores
 * @returns how many events were deleted
 * @throws EventsUnavailable while NATS is down
 */
export async function eraseEvents(
  connection: EventsConnection,
  { paymentIds, storeIds }: { paymentIds: readonly string[]; storeIds: readonly string[] },
): Promise<number> {
  const nats = connection.ready();
  const manager = await nats.jetstreamManager();
  const wanted = new Set(paymentIds);
  let erased = 0;
  for (const storeId of storeIds) {
    for (const place of await placesOf(connection, storeId, wanted)) {
      await manager.streams.deleteMessage(connection.stream, place, true);
      erased += 1;
    }
  }
  return erased;
}

/**
 * @returns the places of a store's events of these payments, of those that the stream had at the call: a store whose
 * events never pause would else be read for ever
 */
async function placesOf(
  connection: EventsConnection,
  storeId: string,
  paymentIds: ReadonlySet<string>,
): Promise<number[]> {
  const nats = connection.ready();
  const jetstream = nats.jetstream();
  const manager = await nats.jetstreamManager();
  const filterSubjects = `${subjectPrefix(connection.stream)}.${storeId}.>`;
  const consumer = await jetstream.consumers.get(connection.stream, { filterSubjects });
  const places: number[] = [];
  const { last_seq: last } = (await manager.streams.info(connection.stream)).state;
  for (let reached = 0; reached < last; ) {
    const batch = await consumer.fetch({ max_messages: 500, expires: 1_000 });
    const before = reached;
    for await (const message of batch) {
      reached = message.seq;
      if (paymentIds.has(message.json<PaymentEvent>().payment.id)) places.push(message.seq);
    }
    if (reached === before) break;
  }
  return places;
}
