import { startOwnNats, testNats } from '@payments/testing/nats';
import { startTcpProxy } from '@payments/testing/tcp-proxy';
import t, { type Test } from 'tap';
import type { EventsConnection } from '../src/connection.ts';
import { publish } from '../src/publish.ts';
import { startWakeUp } from '../src/wake-up.ts';
import { listeningLog, openEvents, publication, silent, until } from './stream.ts';

const many = (count: number) => Array.from({ length: count }, () => publication());

/** Listens to events, and counts them and the times it was woken. */
function listen(t: { teardown(end: () => void): void }, connection: EventsConnection) {
  const counts = { events: 0, woken: 0 };
  const wakeUp = startWakeUp({
    connection,
    log: silent,
    onDeliveries: () => {
      counts.woken += 1;
    },
    onEvent: () => {
      counts.events += 1;
    },
  });
  t.teardown(wakeUp.stop);
  return { counts, stop: wakeUp.stop };
}

/** Resolves when NATS has the subscriptions of this connection. */
const settled = (connection: EventsConnection) => connection.ready().flush();

t.test('an event with a delivery wakes; one without does not', async (t) => {
  const connection = await openEvents(t);
  const { counts } = listen(t, connection);
  await settled(connection);
  await publish(connection, [{ ...publication(), hasDelivery: false }, publication()]);
  await until(() => counts.events === 2);
  t.same(counts, { events: 2, woken: 1 });
});

t.test('each event wakes one of the dispatchers', async (t) => {
  const connection = await openEvents(t);
  const [one, other] = [listen(t, connection), listen(t, connection)];
  await settled(connection);
  await publish(connection, many(300));
  await until(() => one.counts.events + other.counts.events === 300);
  t.ok(one.counts.events > 0 && other.counts.events > 0);
});

t.test('one that stopped is woken no more', async (t) => {
  const connection = await openEvents(t);
  const [gone, left] = [listen(t, connection), listen(t, connection)];
  await settled(connection);
  gone.stop();
  await settled(connection);
  await publish(connection, many(50));
  await until(() => left.counts.events === 50);
  t.equal(gone.counts.events, 0);
});

t.test('NATS goes away, and the stream: the dispatcher is woken again when they are back', async (t) => {
  const nats = await startOwnNats();
  t.teardown(() => nats.remove());
  const connection = await openEvents(t, { url: nats.url, stream: 'LOST' });
  const { counts } = listen(t, connection);
  const tell = async () => {
    const [event, before] = [publication(), counts.woken];
    await until(async () => (await publish(connection, [event]).catch(() => [])).length === 1);
    await until(() => counts.woken > before);
  };
  await settled(connection);
  await tell();
  const { streams } = await connection.ready().jetstreamManager();
  await streams.delete('LOST');
  await tell();
  await nats.kill();
  await until(() => !connection.isConnected());
  await nats.start();
  await tell();
  t.pass();
});

t.test('one that stopped is woken no more when NATS comes back', async (t) => {
  const nats = await startOwnNats();
  t.teardown(() => nats.remove());
  const connection = await openEvents(t, { url: nats.url, stream: 'BACK' });
  const [gone, left] = [listen(t, connection), listen(t, connection)];
  await settled(connection);
  gone.stop();
  await nats.kill();
  await until(() => !connection.isConnected());
  await nats.start();
  await until(() => connection.isConnected());
  await settled(connection);
  await publish(connection, many(50));
  await until(() => left.counts.events + gone.counts.events === 50);
  t.equal(gone.counts.events, 0);
});

/** A connection by a proxy, with one who listens to events. */
async function openByProxy(t: Test) {
  const nats = await testNats();
  t.teardown(nats.stop);
  const proxy = await startTcpProxy(Number(new URL(nats.url).port));
  t.teardown(proxy.close);
  const { log, lines } = listeningLog();
  const url = `nats://127.0.0.1:${proxy.port}`;
  const connection = await openEvents(t, { url, stream: nats.stream }, log);
  listen(t, connection);
  await settled(connection);
  return { connection, proxy, told: () => lines.map(({ msg }) => msg) };
}

t.test('a connection is closed although NATS says nothing, before the client knows it', async (t) => {
  const { connection, proxy, told } = await openByProxy(t);
  proxy.silence(true);
  await connection.close();
  t.notOk(told().includes('lost the connection to NATS'));
});

t.test('NATS that comes back while a connection is being closed starts nothing', async (t) => {
  const { connection, proxy } = await openByProxy(t);
  proxy.silence(true);
  const closing = connection.close();
  proxy.cut();
  proxy.silence(false);
  await closing;
  t.notOk(connection.isConnected());
});
