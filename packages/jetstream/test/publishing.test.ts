import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { CommittedEvent } from '@payments/domain/events';
import { startOwnNats, testNats } from '@payments/testing/nats';
import t from 'tap';
import type { EventsConnection } from '../src/connection.ts';
import { startPublishing } from '../src/publishing.ts';
import { idsStored, listeningLog, openEvents, publication, silent, until } from './stream.ts';

const many = (count: number) => Array.from({ length: count }, () => publication());
const idOf = ({ event }: CommittedEvent) => event.id;

const onPublished = () => {};

/** An outbox in memory: what a process commits, and what is still to be published. */
function outboxInMemory() {
  const left = new Map<string, CommittedEvent>();
  let tell = (_: CommittedEvent) => {};
  const removals: string[][] = [];
  return {
    left,
    removals,
    commit: (events: CommittedEvent[]) => {
      for (const event of events) left.set(idOf(event), event);
      for (const event of events) tell(event);
    },
    onCommitted: (listener: typeof tell) => {
      tell = listener;
    },
    remove: async (ids: string[]) => {
      removals.push(ids);
      for (const id of ids) left.delete(id);
    },
    sweep: async (limit: number, publish: (batch: CommittedEvent[]) => Promise<string[]>) => {
      const batch = [...left.values()].slice(0, limit);
      const stored = batch.length === 0 ? [] : await publish(batch);
      for (const id of stored) left.delete(id);
      return stored.length;
    },
  };
}

/** Leaves nothing to the sweep, so that only the process which committed an event publishes it. */
const unswept = (outbox: ReturnType<typeof outboxInMemory>) => ({ ...outbox, sweep: async () => 0 });

const messagesIn = async (connection: EventsConnection) => {
  const { streams } = await connection.ready().jetstreamManager();
  return (await streams.info(connection.stream)).state.messages;
};

t.test('committed events are published at once, and removed many at a time', async (t) => {
  const connection = await openEvents(t);
  const outbox = outboxInMemory();
  const events = many(450);
  const all = Promise.withResolvers<void>();
  let counted = 0;
  const publishing = startPublishing({
    connection,
    // The first removal ends when all are published, however long that takes.
    outbox: { ...unswept(outbox), remove: (ids) => all.promise.then(() => outbox.remove(ids)) },
    onPublished: (count) => {
      counted += count;
      if (counted === events.length) all.resolve();
    },
    log: silent,
  });
  outbox.commit(events.slice(0, 1));
  outbox.commit(events.slice(1));
  await until(() => outbox.left.size === 0);
  t.same(outbox.removals.flat().sort(), events.map(idOf).sort());
  t.ok(outbox.removals.length <= 2, `${outbox.removals.length} statements`);
  t.equal(counted, 450);
  t.equal(await messagesIn(connection), 450);
  await publishing.stop();
});

t.test('stopping publishes and removes accepted events, and accepts no more', async (t) => {
  const connection = await openEvents(t);
  const outbox = outboxInMemory();
  const publishing = startPublishing({ connection, outbox: unswept(outbox), onPublished, log: silent });
  outbox.commit(many(100));
  await publishing.stop();
  t.equal(outbox.left.size, 0);
  t.equal(await messagesIn(connection), 100);
  outbox.commit(many(1));
  await publishing.stop();
  t.equal(outbox.left.size, 1);
});

t.test('an event that can’t be removed is published again under its id, then removed', async (t) => {
  const connection = await openEvents(t);
  const outbox = outboxInMemory();
  const { log, lines } = listeningLog();
  const remove = async () => {
    throw new Error('the database is away');
  };
  const publishing = startPublishing({
    connection,
    outbox: { ...outbox, remove },
    onPublished,
    log,
  });
  t.teardown(publishing.stop);
  outbox.commit(many(3));
  await until(() => outbox.left.size === 0);
  t.equal(await messagesIn(connection), 3);
  await until(() => lines.some(({ msg }) => msg.startsWith('published events stay in the outbox')));
});

t.test('events wait while NATS is down, and are swept when it is back', async (t) => {
  const nats = await startOwnNats();
  t.teardown(() => nats.remove());
  const connection = await openEvents(t, { url: nats.url, stream: 'AWAY' });
  const outbox = outboxInMemory();
  const publishing = startPublishing({ connection, outbox, onPublished, log: silent });
  t.teardown(publishing.stop);
  outbox.commit(many(10));
  await until(() => outbox.left.size === 0);

  // Some are in flight as NATS stops, the others find it stopped.
  outbox.commit(many(300));
  await nats.kill();
  outbox.commit(many(300));
  await until(() => !connection.isConnected());
  outbox.commit(many(300));
  await nats.start();
  await until(() => outbox.left.size === 0);
  outbox.commit(many(10));
  await until(() => outbox.left.size === 0);
  t.equal((await idsStored(connection)).size, 920);
});

/** A proxy to NATS. Once `blocked`, nothing arrives any more, while the connections stay open. */
async function blockableWay(to: string) {
  const { hostname, port } = new URL(to);
  const sockets = new Set<Socket>();
  const server = createServer((from) => {
    const onwards = connect(Number(port), hostname);
    for (const socket of [from, onwards]) sockets.add(socket.on('error', () => {}));
    from.pipe(onwards).pipe(from);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    block: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

t.test('a hanging NATS holds up a bounded number of events, and stopping ends', async (t) => {
  const { url, stream, stop } = await testNats();
  const way = await blockableWay(url);
  t.teardown(async () => {
    way.close();
    await stop();
  });
  const connection = await openEvents(t, { url: way.url, stream });
  const outbox = outboxInMemory();
  const publishing = startPublishing({ connection, outbox: unswept(outbox), onPublished, log: silent });
  way.block();
  outbox.commit(many(10_000));
  await publishing.stop();
  t.equal(outbox.left.size, 10_000, 'all wait for the sweep');
  way.close();
  await until(() => !connection.isConnected());
});
