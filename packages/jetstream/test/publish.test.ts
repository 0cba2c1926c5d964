import { startOwnNats } from '@payments/testing/nats';
import { eventually } from '@payments/testing/patience';
import { DiscardPolicy } from 'nats';
import t from 'tap';
import { EventsUnavailable } from '../src/acknowledged.ts';
import { connectEvents } from '../src/connection.ts';
import { publish } from '../src/publish.ts';
import { readBack, readStream } from '../src/read-back.ts';
import { eraseEvents } from '../src/stream.ts';
import { listeningLog, openEvents, publication, silent, until } from './stream.ts';

t.test('events go out on the documented subjects, under their own id, with the request’s id', async (t) => {
  const connection = await openEvents(t);
  const created = publication();
  const changed = publication({ type: 'payment.status_changed', sequence: 2, previousStatus: 'pending' });
  t.same(await publish(connection, [created, changed]), [created.event.id, changed.event.id]);

  const { streams } = await connection.ready().jetstreamManager();
  const prefix = connection.stream.toLowerCase();
  const [first, second] = [
    await streams.getMessage(connection.stream, { seq: 1 }),
    await streams.getMessage(connection.stream, { seq: 2 }),
  ];
  t.equal(first.subject, `${prefix}.${created.storeId}.created`);
  t.equal(second.subject, `${prefix}.${changed.storeId}.status_changed`);
  t.equal(first.header.get('Nats-Msg-Id'), created.event.id);
  t.equal(first.header.get('Request-Id'), 'request-1');
  t.same(first.json(), created.event);
  t.same(second.json(), changed.event);
});

t.test('what others publish under our subjects keeps no event from being read or erased', async (t) => {
  const connection = await openEvents(t);
  const [first, second] = [publication(), publication()];
  await publish(connection, [first]);
  const prefix = connection.stream.toLowerCase();
  for (const text of ['hello', '', 'null', '{"id":"x"}', '{"payment":null}'])
    await connection.ready().jetstream().publish(`${prefix}.${second.storeId}.created`, text);
  await publish(connection, [second]);
  const ids = [];
  for await (const batch of readBack(connection, new Date(0))) ids.push(...batch.map(({ id }) => id));
  t.same(ids, [first.event.id, second.event.id]);
  const erased = { paymentIds: [second.event.payment.id], storeIds: [second.storeId] };
  t.equal(await eraseEvents(connection, erased), 1);
});

t.test('a stream that falls silent before its end was not read', async (t) => {
  const connection = await openEvents(t);
  const all = Array.from({ length: 501 }, () => publication());
  await publish(connection, all);
  const { streams } = await connection.ready().jetstreamManager();
  // On a slow machine a fetch may end before it has all that it asks for.
  const read = await eventually('five hundred in a fetch', async () => {
    const begun = readStream(connection, {}, 1_000);
    const first = await begun.next().catch(() => undefined);
    return first?.value?.length === 500 ? begun : undefined;
  });
  await streams.deleteMessage(connection.stream, 501);
  await t.rejects(read.next(), new EventsUnavailable('JetStream keeps 1 more and sends none'));
});

t.test('an event published twice is in the stream once', async (t) => {
  const connection = await openEvents(t);
  const event = publication();
  for (let time = 0; time < 3; time += 1) t.same(await publish(connection, [event]), [event.event.id]);
  const { streams } = await connection.ready().jetstreamManager();
  t.equal((await streams.info(connection.stream)).state.messages, 1);
});

t.test('four processes that make the stream at once all succeed', async (t) => {
  const first = await openEvents(t);
  const { streams } = await first.ready().jetstreamManager();
  for (let round = 0; round < 3; round += 1) {
    await streams.delete(first.stream);
    await Promise.all(Array.from({ length: 4 }, () => first.ensureStream()));
    const { config } = await streams.info(first.stream);
    t.same(config.subjects, [`${first.stream.toLowerCase()}.>`]);
  }
});

t.test('a stream that operators created stays unchanged', async (t) => {
  const connection = await openEvents(t);
  const { streams } = await connection.ready().jetstreamManager();
  await streams.update(connection.stream, { max_msgs: 1_234 });
  await connection.ensureStream();
  t.equal((await streams.info(connection.stream)).config.max_msgs, 1_234);
});

t.test('without the stream nothing counts as published, and the stream is created again', async (t) => {
  const connection = await openEvents(t);
  const { streams } = await connection.ready().jetstreamManager();
  await streams.delete(connection.stream);
  const event = publication();
  t.same(await publish(connection, [event]), []);
  t.same(await publish(connection, [event]), [event.event.id]);
});

t.test('only events that JetStream confirmed count as published', async (t) => {
  const connection = await openEvents(t);
  const { streams } = await connection.ready().jetstreamManager();
  const [stored, tooLarge, later] = [publication(), publication(), publication()];
  tooLarge.event.payment.observation = 'x'.repeat(1_100_000);
  t.same(await publish(connection, [stored, tooLarge, later]), [stored.event.id, later.event.id]);
  t.same(await publish(connection, []), []);

  await streams.update(connection.stream, { max_msgs: 3, discard: DiscardPolicy.New });
  const [last, refused] = [publication(), publication()];
  t.same(await publish(connection, [last, refused]), [last.event.id], 'the stream is full');
  await t.rejects(publish(connection, [refused]), {
    message: 'JetStream refuses events: maximum messages exceeded',
  });
  t.same(await publish(connection, [stored]), [stored.event.id], 'a repeat counts as stored');
});

t.test('events that JetStream confirms for nobody are told of, though the stream is there', async (t) => {
  const connection = await openEvents(t);
  const { streams } = await connection.ready().jetstreamManager();
  const event = publication();
  // As for a user who may not publish: nothing is answered.
  await streams.update(connection.stream, { no_ack: true });
  await t.rejects(publish(connection, [event]), {
    message: `JetStream confirms no event of ${connection.stream}: JetStream does not answer`,
  });
  await streams.update(connection.stream, { no_ack: false });
  t.same(await publish(connection, [event]), [event.event.id]);

  const tooLarge = publication();
  tooLarge.event.payment.observation = 'x'.repeat(1_100_000);
  await t.rejects(publish(connection, [tooLarge]), /JetStream confirms no event .*MAX_PAYLOAD_EXCEEDED/);
});

t.test(
  'a loss of NATS rejects publications in flight; the same connection publishes when it is back',
  async (t) => {
    const nats = await startOwnNats();
    t.teardown(() => nats.remove());
    const connection = await openEvents(t, { url: nats.url, stream: 'LOST' });
    const batch = Array.from({ length: 200 }, () => publication());
    for (let time = 0; time < 2; time += 1) {
      const publishing = Promise.all([1, 2, 3].map(() => publish(connection, batch).catch(() => [])));
      await nats.kill();
      for (const ids of await publishing) t.ok(ids.length <= 200);
      await until(() => !connection.isConnected());
      await nats.start();
      await until(() => connection.isConnected());
      t.same(
        await publish(connection, batch),
        batch.map(({ event }) => event.id),
      );
    }
    const { streams } = await connection.ready().jetstreamManager();
    t.equal((await streams.info('LOST')).state.messages, 200);
  },
);

t.test('without NATS publishing fails at once, and closing does not wait for it', async (t) => {
  const connection = connectEvents({ url: 'nats://127.0.0.1:1', stream: 'NONE', name: 'test', log: silent });
  t.equal(connection.isConnected(), false);
  await t.rejects(publish(connection, [publication()]), EventsUnavailable);
  await t.rejects(connection.ensureStream(), EventsUnavailable);
  await connection.close();
});

t.test('a service that starts before NATS connects when NATS starts', async (t) => {
  const nats = await startOwnNats();
  t.teardown(() => nats.remove());
  await nats.stop();
  const { log, lines } = listeningLog();
  const connection = connectEvents({ url: nats.url, stream: 'LATER', name: 'test', log });
  t.teardown(() => connection.close());
  await until(() => lines.length > 0);
  await nats.start();
  await until(() => connection.isConnected());
  await connection.ensureStream();
  t.equal((await publish(connection, [publication()])).length, 1);
  t.same(
    lines.map(({ msg }) => msg),
    ['NATS can’t be reached; trying on', 'connected to NATS'],
    'logged once, however long it takes',
  );
});
