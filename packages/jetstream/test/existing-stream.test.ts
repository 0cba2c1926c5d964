import { testNats } from '@payments/testing/nats';
import { connect, type JetStreamManager, nanos, RetentionPolicy, StorageType, type StreamConfig } from 'nats';
import t, { type Test } from 'tap';
import { publish } from '../src/publish.ts';
import { listeningLog, openEvents, publication } from './stream.ts';

/** A stream that is there already is brought to what the code says, as far as NATS changes it. */
const day = 24 * 60 * 60 * 1_000;

/** A stream that another release, or a person, created. */
async function made(t: Test, fields: Partial<StreamConfig> = {}) {
  const { url, stream, stop } = await testNats();
  const connection = await connect({ servers: url });
  const manager = await connection.jetstreamManager();
  await manager.streams.add({
    name: stream,
    subjects: [`${stream.toLowerCase()}.*.created`],
    max_age: nanos(day),
    duplicate_window: nanos(10_000),
    max_msgs: 1_234,
    ...fields,
  });
  t.teardown(async () => {
    await connection.close();
    await stop();
  });
  return { at: { url, stream }, connection, manager };
}

const configOf = async ({ streams }: JetStreamManager, stream: string) => (await streams.info(stream)).config;

t.test('changeable differences are changed and logged; the messages stay', async (t) => {
  const { at, connection, manager } = await made(t);
  const prefix = at.stream.toLowerCase();
  for (let n = 0; n < 5; n += 1) await connection.jetstream().publish(`${prefix}.store.created`, `${n}`);
  const { log, lines } = listeningLog();
  const events = await openEvents(t, at, log);
  const stream = await configOf(manager, at.stream);
  t.match(stream, { subjects: [`${prefix}.>`], max_age: nanos(7 * day), duplicate_window: nanos(120_000) });
  t.equal(stream.max_msgs, 1_234, 'what the code does not speak of is the operators’');
  t.match(
    lines.filter(({ msg }) => / was changed /.test(msg)),
    [
      {
        level: 30,
        msg: 'the stream was changed in subjects, max_age, duplicate_window',
        stream: at.stream,
        fields: { max_age: { is: nanos(day), wanted: nanos(7 * day) } },
      },
    ],
  );
  const { state } = await manager.streams.info(at.stream);
  t.equal(state.messages, 5);
  t.equal((await publish(events, [publication()])).length, 1);

  const before = lines.length;
  await events.ensureStream();
  t.equal(lines.length, before, 'there is nothing more to change');
});

t.test('an unchangeable setting is one error line; the others change, and events flow', async (t) => {
  const { at, manager } = await made(t, { storage: StorageType.Memory });
  const { log, lines } = listeningLog();
  const events = await openEvents(t, at, log);
  await events.ensureStream();
  const errors = lines.filter(({ level }) => level >= 50);
  t.match(errors, [
    {
      msg: 'the stream can’t be changed in storage',
      stream: at.stream,
      fields: { storage: { is: 'memory', wanted: 'file' } },
    },
  ]);
  t.equal(errors.length, 1, 'said once');
  const stream = await configOf(manager, at.stream);
  t.match(stream, { storage: 'memory', max_age: nanos(7 * day) });
  t.equal((await publish(events, [publication()])).length, 1);
});

t.test('a change that NATS refuses is an error line, too', async (t) => {
  const { at, manager } = await made(t, { retention: RetentionPolicy.Workqueue });
  const other = `${at.stream}_OTHER`;
  await manager.streams.add({ name: other, subjects: [`${at.stream.toLowerCase()}.*.refunded`] });
  t.teardown(() => manager.streams.delete(other));
  const { log, lines } = listeningLog();
  const events = await openEvents(t, at, log);
  t.match(
    lines.filter(({ level }) => level >= 50),
    [
      { msg: 'the stream can’t be changed in retention' },
      { msg: /^the stream could not be changed in subjects, /, err: { message: /overlap/ } },
    ],
  );
  t.equal((await publish(events, [publication()])).length, 1);
});

t.test('two replicas that start at once agree, and lose no event', async (t) => {
  const { at, connection, manager } = await made(t);
  const subject = `${at.stream.toLowerCase()}.store.created`;
  for (let n = 0; n < 20; n += 1) await connection.jetstream().publish(subject, `${n}`);
  const logs = [listeningLog(), listeningLog()];
  const replicas = await Promise.all(logs.map(({ log }) => openEvents(t, at, log)));
  await Promise.all(replicas.map((replica) => publish(replica, [publication()])));
  const stream = await configOf(manager, at.stream);
  t.match(stream, { subjects: [`${at.stream.toLowerCase()}.>`], max_age: nanos(7 * day), max_msgs: 1_234 });
  t.equal((await manager.streams.info(at.stream)).state.messages, 22);
  t.strictSame(
    logs.flatMap(({ lines }) => lines.filter(({ level }) => level >= 40)),
    [],
  );
});
