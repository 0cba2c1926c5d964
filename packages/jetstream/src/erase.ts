import type { PaymentEvent } from '@payments/domain/events';
import type { EventsConnection } from './connection.ts';
import { readStream } from './read-back.ts';
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
  const { streams } = await connection.ready().jetstreamManager();
  const wanted = new Set(paymentIds);
  let erased = 0;
  for (const storeId of storeIds) {
    const filterSubjects = `${subjectPrefix(connection.stream)}.${storeId}.>`;
    for await (const batch of readStream(connection, { filterSubjects }, 1_000)) {
      for (const message of batch) {
        if (!wanted.has(message.json<PaymentEvent>().payment.id)) continue;
        await streams.deleteMessage(connection.stream, message.seq, true);
        erased += 1;
      }
    }
  }
  return erased;
}
