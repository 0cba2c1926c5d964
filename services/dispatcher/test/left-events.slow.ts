import { connect } from '@payments/database/connection';
import { startOwnNats } from '@payments/testing/nats';
import { startProcessSystem } from '@payments/testing/process-system';
import { startReceiver } from '@payments/testing/receiver';
import { eventually } from '@payments/testing/system';
import t from 'tap';

t.test(
  'the API is killed with unpublished events while NATS is down: two dispatchers publish them',
  async (t) => {
    const nats = await startOwnNats();
    t.teardown(() => nats.remove());
    const receiver = await startReceiver();
    t.teardown(receiver.close);
    const system = await startProcessSystem({ natsUrl: nats.url, dispatchers: 2 });
    t.teardown(system.stop);
    const db = connect(system.databaseUrl);
    t.teardown(() => db.destroy());
    const outbox = async () => (await db.selectFrom('outbox').select('eventId').execute()).length;
    const { token } = await system.createStore();
    const created: string[] = [];
    const create = async () => {
      const body = { amount: 10, webhookUrl: receiver.url };
      const answer = await system.call('/api-public/payments', { token, body });
      t.equal(answer.status, 200);
      created.push(answer.body.id);
    };
    const many = () => Promise.all(Array.from({ length: 40 }, create));

    await many();
    await eventually('all to be published and removed', async () => (await outbox()) === 0 || undefined);
    // Some are in flight as NATS stops, the others find it stopped.
    await Promise.all([many(), nats.kill()]);
    await many();
    t.ok((await outbox()) >= 40);
    await system.api.kill('SIGKILL');
    await nats.start();

    const told = () => new Set(receiver.received.map(({ body }) => JSON.parse(body).id));
    await eventually('every payment to be told of', async () => told().size === 120 || undefined);
    t.same([...told()].sort(), created.sort());
    await eventually('nothing to be left', async () => (await outbox()) === 0 || undefined);
  },
);
