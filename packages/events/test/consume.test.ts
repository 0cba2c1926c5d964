import { setImmediate as nextTurn } from 'node:timers/promises';
import { startOwnNats } from '@payments/testing/nats';
import t from 'tap';
import { consumeEvents } from '../src/consume.ts';
import { publish } from '../src/publish.ts';
import { dispatcherConsumer } from '../src/topology.ts';
import { listeningLog, openEvents, publication, silent, until } from './stream.ts';

const idOf = ({ event }: ReturnType<typeof publication>) => event.id;
const many = (count: number) => Array.from({ length: count }, () => publication());

/** Takes events into a list, as into a ledger. */
function take(
  t: { teardown(end: () => Promise<void>): void },
  connection: Parameters<typeof publish>[0],
  work: (ids: string[]) => Promise<void> = async () => {},
  log = silent,
) {
  const taken: string[][] = [];
  const consumption = consumeEvents({
    connection,
    log,
    take: async (ids) => {
      await work(ids);
      taken.push(ids);
    },
  });
  t.teardown(() => consumption.stop());
  return { taken, all: () => taken.flat(), stop: () => consumption.stop() };
}

t.test('what was published before and after the start is taken, each event once', async (t) => {
  const connection = await openEvents(t);
  const [before, after] = [many(50), many(50)];
  await publish(connection, before);
  const ledger = take(t, connection);
  await until(() => ledger.all().length === 50);
  await publish(connection, after);
  await until(() => ledger.all().length === 100);
  t.same(ledger.all().sort(), [...before, ...after].map(idOf).sort());
});

t.test('an event without a delivery is acknowledged and not taken', async (t) => {
  const connection = await openEvents(t);
  const [without, withOne] = [{ ...publication(), hasDelivery: false }, publication()];
  await publish(connection, [without]);
  await publish(connection, [withOne]);
  const ledger = take(t, connection);
  await until(() => ledger.all().length === 1);
  t.same(ledger.all(), [idOf(withOne)]);
  const { consumers } = await connection.ready().jetstreamManager();
  const waiting = async () => {
    const { num_ack_pending, num_pending } = await consumers.info(connection.stream, dispatcherConsumer);
    return num_ack_pending + num_pending;
  };
  await until(async () => (await waiting()) === 0);
});

t.test('events without a delivery are acknowledged many at a time', async (t) => {
  const connection = await openEvents(t);
  const batches: number[] = [];
  const onConsumed = (count: number) => void batches.push(count);
  const consumption = consumeEvents({ connection, log: silent, take: async () => {}, onConsumed });
  t.teardown(consumption.stop);
  await publish(connection, [publication()]);
  await until(() => batches.length === 1);
  for (let turn = 0; turn < 20; turn += 1) {
    void publish(connection, [{ ...publication(), hasDelivery: false }]);
    await nextTurn();
  }
  const taken = () => batches.reduce((sum, count) => sum + count, 0);
  await until(() => taken() === 21);
  t.ok(batches.length < 11, `20 events in ${batches.length - 1} batches`);
});

t.test('batches grow while one is being taken', async (t) => {
  const connection = await openEvents(t);
  await publish(connection, many(200));
  const ledger = take(t, connection, () => new Promise((resolve) => setTimeout(resolve, 50)));
  await until(() => ledger.all().length === 200);
  t.ok(ledger.taken.length < 20, `${ledger.taken.length} batches for 200 events`);
});

t.test('an event is acknowledged only when it is taken; a failure brings it again', async (t) => {
  const connection = await openEvents(t);
  const event = publication();
  await publish(connection, [event]);
  let failures = 0;
  const ledger = take(t, connection, async () => {
    failures += 1;
    if (failures < 3) throw new Error('the database is away');
  });
  await until(() => ledger.all().length === 1);
  t.equal(failures, 3);
  const { consumers } = await connection.ready().jetstreamManager();
  await until(async () => (await consumers.info(connection.stream, 'dispatcher')).num_ack_pending === 0);
});

t.test('what can’t be read is said, and not taken again; the rest goes on', async (t) => {
  const connection = await openEvents(t);
  const { log, lines } = listeningLog();
  const jetstream = connection.ready().jetstream();
  const subject = `${connection.stream.toLowerCase()}.x.created`;
  for (const data of ['', 'no json', 'null', '{}', '{"id":7}', '{"id":"x"}', '\u0000', '[]']) {
    await jetstream.publish(subject, data);
  }
  const event = publication();
  await publish(connection, [event]);
  const ledger = take(t, connection, undefined, log);
  await until(() => ledger.all().length === 1);
  t.same(ledger.all(), [event.event.id]);
  t.equal(lines.filter(({ msg }) => msg.startsWith('unreadable event')).length, 8);
  const { consumers } = await connection.ready().jetstreamManager();
  await until(async () => (await consumers.info(connection.stream, 'dispatcher')).num_ack_pending === 0);
});

t.test('the same event twice in the stream is taken and both are acknowledged', async (t) => {
  const connection = await openEvents(t);
  const { event, storeId } = publication();
  const subject = `${connection.stream.toLowerCase()}.${storeId}.created`;
  for (let time = 0; time < 2; time += 1) {
    await connection.ready().jetstream().publish(subject, JSON.stringify(event));
  }
  const ledger = take(t, connection);
  const { consumers } = await connection.ready().jetstreamManager();
  await until(async () => {
    const info = await consumers.info(connection.stream, 'dispatcher');
    return info.num_pending === 0 && info.num_ack_pending === 0;
  });
  t.same(new Set(ledger.all()), new Set([event.id]));
});

t.test('two consumers share the events', async (t) => {
  const connection = await openEvents(t);
  const [one, other] = [take(t, connection), take(t, connection)];
  const events = many(300);
  await publish(connection, events);
  await until(() => one.all().length + other.all().length === 300);
  t.same([...one.all(), ...other.all()].sort(), events.map(idOf).sort());
});

t.test('a consumer that stops leaves what it has not taken to the next', async (t) => {
  const connection = await openEvents(t);
  const first = take(t, connection);
  await publish(connection, many(20));
  await until(() => first.all().length > 0);
  await first.stop();
  const taken = first.all().length;
  const later = many(20);
  await publish(connection, later);
  const second = take(t, connection);
  await until(() => first.all().length + second.all().length >= 40);
  t.equal(first.all().length, taken, 'nothing is taken after the stop');
});

t.test(
  'the consumer, the stream or the whole of NATS goes away: taking goes on when it is back',
  async (t) => {
    const nats = await startOwnNats();
    t.teardown(() => nats.remove());
    const connection = await openEvents(t, { url: nats.url, stream: 'LOST' });
    const ledger = take(t, connection);
    const tell = async () => {
      const event = publication();
      await until(async () => {
        const stored = await publish(connection, [event]).catch(() => []);
        return stored.length === 1;
      });
      await until(() => ledger.all().includes(event.event.id));
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
  },
);
