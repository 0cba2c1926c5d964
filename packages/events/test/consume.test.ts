import { startOwnNats } from '@payments/testing/nats';
import t from 'tap';
import { consumeEvents } from '../src/consume.ts';
import { publish } from '../src/publish.ts';
import { dispatcherConsumer } from '../src/topology.ts';
import { openEvents, publication, silent, until } from './stream.ts';

const many = (count: number) => Array.from({ length: count }, () => publication());

/** Consumes events, and counts acknowledgements and wake-ups. */
function consume(t: { teardown(end: () => Promise<void>): void }, connection: Parameters<typeof publish>[0]) {
  const counts = { consumed: 0, woken: 0 };
  const consumption = consumeEvents({
    connection,
    log: silent,
    onDeliveries: () => {
      counts.woken += 1;
    },
    onConsumed: (count) => {
      counts.consumed += count;
    },
  });
  t.teardown(() => consumption.stop());
  return { counts, stop: () => consumption.stop() };
}

/** Resolves when every event in the stream is acknowledged. */
async function untilAllAcknowledged(connection: Parameters<typeof publish>[0]): Promise<void> {
  const { consumers } = await connection.ready().jetstreamManager();
  await until(async () => {
    const { num_ack_pending, num_pending } = await consumers.info(connection.stream, dispatcherConsumer);
    return num_ack_pending + num_pending === 0;
  });
}

t.test('events published before and after the start are each consumed once', async (t) => {
  const connection = await openEvents(t);
  await publish(connection, many(50));
  const { counts } = consume(t, connection);
  await until(() => counts.consumed === 50);
  await publish(connection, many(50));
  await until(() => counts.consumed === 100);
  await untilAllAcknowledged(connection);
  t.same(counts, { consumed: 100, woken: 100 });
});

t.test('an event without a delivery is acknowledged without a wake-up', async (t) => {
  const connection = await openEvents(t);
  await publish(connection, [{ ...publication(), hasDelivery: false }, publication()]);
  const { counts } = consume(t, connection);
  await untilAllAcknowledged(connection);
  t.same(counts, { consumed: 2, woken: 1 });
});

t.test('an unreadable event is acknowledged, too', async (t) => {
  const connection = await openEvents(t);
  const jetstream = connection.ready().jetstream();
  const subject = `${connection.stream.toLowerCase()}.x.created`;
  for (const data of ['', 'no json', '{}', '\u0000']) await jetstream.publish(subject, data);
  const { counts } = consume(t, connection);
  await untilAllAcknowledged(connection);
  t.same(counts, { consumed: 4, woken: 4 }, 'the deliveries are in the database');
});

t.test('two consumers share the events', async (t) => {
  const connection = await openEvents(t);
  const [one, other] = [consume(t, connection), consume(t, connection)];
  await publish(connection, many(300));
  await until(() => one.counts.consumed + other.counts.consumed === 300);
  await untilAllAcknowledged(connection);
});

t.test('a consumer that stops leaves unconsumed events to the next one', async (t) => {
  const connection = await openEvents(t);
  const first = consume(t, connection);
  await publish(connection, many(20));
  await until(() => first.counts.consumed > 0);
  await first.stop();
  const consumed = first.counts.consumed;
  await publish(connection, many(20));
  consume(t, connection);
  await untilAllAcknowledged(connection);
  t.equal(first.counts.consumed, consumed, 'nothing is consumed after the stop');
});

t.test('consuming resumes after a loss of the consumer, the stream or NATS', async (t) => {
  const nats = await startOwnNats();
  t.teardown(() => nats.remove());
  const connection = await openEvents(t, { url: nats.url, stream: 'LOST' });
  const { counts } = consume(t, connection);
  const tell = async () => {
    const event = publication();
    const before = counts.consumed;
    await until(async () => {
      const stored = await publish(connection, [event]).catch(() => []);
      return stored.length === 1;
    });
    await until(() => counts.consumed > before);
  };
  await tell();
  const { consumers, streams } = await connection.ready().jetstreamManager();
  await consumers.delete('LOST', 'dispatcher');
  await tell();
  t.pass('without its consumer');
  await streams.delete('LOST');
  await tell();
  t.pass('without its stream');
  await nats.kill();
  await until(() => !connection.isConnected());
  await nats.start();
  await tell();
  t.pass('after a kill');
});
