import { connectEvents } from '@payments/events/connection';
import { dispatcherConsumer } from '@payments/events/topology';
import { createLogger } from '@payments/runtime/logging';
import { eventually } from '@payments/testing/system';
import type { Test } from 'tap';

const second = 1_000_000_000;

/**
 * Makes the stream offer again after a second what was taken and not acknowledged, as operators may set it;
 * the service's own setting is longer.
 * @returns a function that looks at the dispatchers' consumer
 */
export async function impatientStream(
  t: Pick<Test, 'teardown'>,
  { url, stream }: { url: string; stream: string },
): Promise<() => Promise<{ num_ack_pending: number }>> {
  const connection = connectEvents({ url, stream, name: 'test', log: createLogger('test', 'silent') });
  t.teardown(connection.close);
  await eventually(5_000, 'NATS', async () => connection.isConnected() || undefined);
  await connection.ensureTopology();
  const { consumers } = await connection.ready().jetstreamManager();
  await consumers.update(stream, dispatcherConsumer, { ack_wait: second });
  return () => consumers.info(stream, dispatcherConsumer);
}
