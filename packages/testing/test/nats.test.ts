import { connect } from 'nats';
import t from 'tap';
import { startOwnNats, testNats } from '../src/nats.ts';

t.test('each caller gets a stream, removed at the end', async (t) => {
  const [one, other] = await Promise.all([testNats(), testNats()]);
  t.equal(one.url, other.url, 'one server for all');
  t.not(one.stream, other.stream);
  t.match(one.stream, /^TEST_[A-Z0-9]{6}$/);

  const connection = await connect({ servers: one.url });
  const manager = await connection.jetstreamManager();
  await manager.streams.add({ name: one.stream, subjects: [`${one.stream}.>`] });
  await one.stop();
  await t.rejects(manager.streams.info(one.stream), /stream not found/);
  await connection.close();
  await t.resolves(other.stop(), 'without a stream, too');
});

t.test('a stream can be created while the last other one is removed', async (t) => {
  const comeAndGo = async (side: number) => {
    const { url } = await testNats();
    const connection = await connect({ servers: url });
    t.teardown(() => connection.close());
    const { streams } = await connection.jetstreamManager();
    for (let turn = 0; turn < 150; turn++) {
      const name = `COMES_${side}_${turn}`;
      await streams.add({ name, subjects: [name] });
      await streams.delete(name);
    }
  };
  await t.resolves(Promise.all([1, 2, 3].map(comeAndGo)));
});

t.test('an own server restarts on the same address with its messages', async (t) => {
  const server = await startOwnNats();
  t.teardown(() => server.remove());
  const connection = await connect({ servers: server.url, reconnectTimeWait: 20, maxReconnectAttempts: -1 });
  t.teardown(() => connection.close());
  const manager = await connection.jetstreamManager();
  await manager.streams.add({ name: 'KEPT', subjects: ['kept.>'] });
  await connection.jetstream().publish('kept.one', 'message');

  await server.kill();
  await server.start();
  for await (const status of connection.status()) if (status.type === 'reconnect') break;
  t.equal((await manager.streams.info('KEPT')).state.messages, 1);
});
