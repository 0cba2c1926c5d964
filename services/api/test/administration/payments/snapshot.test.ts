import { inSession, query } from '@payments/testing/sessions';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { panelClient } from '../panel-client.ts';

const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const { admin } = system;
const store = await system.createStore();

const create = async () =>
  (await admin(`/admin/stores/${store.id}/payments`, { body: { amount: 10 } })).body.id as string;

/** Reads, and commits changes while the reader stands at a table. */
const readWhile = <T>(table: string, read: () => Promise<T>, changes: readonly string[]): Promise<T> =>
  inSession(system.env.DATABASE_URL as string, async (client) => {
    await client.query(`begin; lock table ${table} in access exclusive mode`);
    const reading = read();
    await eventually(`the reader to stand at ${table}`, async () => {
      const { rowCount } = await client.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rowCount === 1 || undefined;
    });
    for (const change of changes) await client.query(change);
    await client.query('commit');
    return reading;
  });

t.test('a payment’s detail is of one moment, whatever changes as it is read', async (t) => {
  const path = `/admin/payments/${await create()}`;
  const changes = ['payments', 'events'].map((table) => `update ${table} set status = 'not_approved'`);
  const { body: detail } = await readWhile('events', () => admin(path), changes);
  t.match(detail.events, [{ status: detail.status }]);
  t.equal((await admin(path)).body.status, 'not_approved');
});

t.test('number and sum of a list are of one moment', async (t) => {
  const person = panelClient(system.adminUrl);
  await person.signIn();
  const [one, two] = [await create(), await create()];
  const statusOf = (id: string, status: string) =>
    `update payments set status = '${status}' where id = '${id}'`;
  await query(system.env.DATABASE_URL as string, statusOf(two, 'not_approved'));
  const list = async (path: string) => (await person.get(path)).text;
  const pending = () => list(`/panel/payments?status=pending&storeId=${store.id}`);
  t.match(await pending(), /1 pagamento, no total de <strong><span class="money">R\$ 10,00/);
  const payments = await readWhile('pix_received', pending, [statusOf(two, 'pending')]);
  t.match(payments, /2 pagamentos, no total de <strong><span class="money">R\$ 20,00/);

  const refund = (id: string, endToEndId: string) => `
    insert into pix_received (end_to_end_id, bank, payment_id, amount, effect, paid_at, received_at)
    values ('${endToEndId}', 'default', '${id}', 1000, 'refund', now(), now());
    insert into refunds (id, end_to_end_id, bank, payment_id, amount, wanted, origin, reason, state, created_at, updated_at)
    values ('R', '${endToEndId}', 'default', '${id}', 1000, 1000, 'service', 'second_pix', 'processing', now(), now())`;
  await query(system.env.DATABASE_URL as string, refund(one, 'E1'));
  const open = () => list('/panel/refunds');
  t.match(await open(), /1 devolução, no total de <strong><span class="money">R\$ 10,00/);
  const refunds = await readWhile('pix_received', open, [refund(two, 'E2')]);
  t.match(refunds, /2 devoluções, no total de <strong><span class="money">R\$ 20,00/);
});
