import { connectEvents } from '@payments/events/connection';
import { dispatcherConsumer } from '@payments/events/topology';
import { createLogger } from '@payments/runtime/logging';
import { eventually } from '@payments/testing/system';
import type { Test } from 'tap';

const second = 1_000_000_000;

export type ImpatientStream = {
  /** Looks at the dispatchers' consumer. */
  consumer(): Promise<{ num_ack_pending: number }>;
  /** Makes it impatient again, once a dispatcher that starts has set what the code says. */
  hurry(): Promise<void>;
};

/** Makes the stream offer again after a second what was taken and not acknowledged; the service's own setting is longer. */
export async function impatientStream(
  t: Pick<Test, 'teardown'>,
  { url, stream }: { url: string; stream: string },
): Promise<ImpatientStream> {
  const connection = connectEvents({ url, stream, name: 'test', log: createLogger('test', 'silent') });
  t.teardown(connection.close);
  await eventually(5_000, 'NATS', async () => connection.isConnected() || undefined);
  await connection.ensureTopology();
  const { consumers } = await connection.ready().jetstreamManager();
  const consumer = () => consumers.info(stream, dispatcherConsumer);
  const hurry = async () => {
    await eventually(10_000, 'a dispatcher to set its own', async () => {
      return (await consumer()).config.ack_wait !== second || undefined;
    });
    await consumers.update(stream, dispatcherConsumer, { ack_wait: second });
  };
  await hurry();
  return { consumer, hurry };
}
