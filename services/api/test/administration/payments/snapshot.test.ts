import { inSession } from '@payments/testing/sessions';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';

const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const { admin } = system;
const store = await system.createStore();

t.test('a payment’s detail is of one moment, whatever changes as it is read', async (t) => {
  const created = await admin(`/admin/stores/${store.id}/payments`, { body: { amount: 10 } });
  const path = `/admin/payments/${created.body.id}`;
  const detail = await inSession(system.env.DATABASE_URL as string, async (client) => {
    await client.query('begin; lock table events in access exclusive mode');
    const reading = admin(path);
    await eventually('the reader to stand at the events', async () => {
      const { rowCount } = await client.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rowCount === 1 || undefined;
    });
    for (const table of ['payments', 'events'])
      await client.query(`update ${table} set status = 'not_approved'`);
    await client.query('commit');
    return (await reading).body;
  });
  t.match(detail.events, [{ status: detail.status }]);
  t.equal((await admin(path)).body.status, 'not_approved');
});
