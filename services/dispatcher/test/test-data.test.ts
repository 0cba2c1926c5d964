import { startBanks } from '@payments/testing/several-banks';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { openSql } from './deliveries/sql.ts';

/** Payments of test stores are erased whole after TEST_DATA_DAYS (Contract: test stores). */
const banks = await startBanks([{ id: 'test' }]);
let ahead = 0;
const system = await startSystem({
  now: () => new Date(Date.now() + ahead),
  env: {
    SCAN_INTERVAL_SECONDS: '1',
    TEST_BANK_FILE: banks.write(),
    TEST_DATA_DAYS: '10',
    WEBHOOK_RETRY_SECONDS: '1',
  },
});
t.teardown(async () => {
  await system.stop();
  await banks.close();
});
const sql = openSql(t, system.env.DATABASE_URL!);
const [tested, real] = [await system.createStore({ test: true }), await system.createStore()];
const create = async (token: string, more: object = {}) =>
  (await system.api('/api-public/payments', { token, body: { amount: 10, ...more } })).body;
const deed = (id: string, name: string) =>
  system.api(`/api-public/payments/${id}/test`, { token: tested.token, body: { do: name } });
const statusOf = async (id: string) => (await system.admin(`/admin/payments/${id}`)).status;

const paid = await create(tested.token, { reference: 'pedido' });
await deed(paid.id, 'pay_twice');
await system.waitForStatus(tested, paid.id, 'approved');
await deed(paid.id, 'take_back');
await system.waitForStatus(tested, paid.id, 'not_approved');
const kept = await create(real.token);
await system.bank('/bank/pay', { pixCopiaECola: kept.qrCopyPaste });
await system.waitForStatus(real, kept.id, 'approved');
await eventually('the second Pix to be back', async () => {
  const { body } = await system.api(`/api-public/payments/${paid.id}/refunds`, { token: tested.token });
  return body.items.length === 2 &&
    body.items.every(({ status }: { status: string }) => status === 'refunded')
    ? true
    : undefined;
});

const day = 86_400_000;

t.test('nothing goes before its time', async (t) => {
  ahead = 9 * day;
  await eventually('a scan by the later clock', async () => {
    const { text } = await system.admin('/metrics');
    return text.length > 0 ? true : undefined;
  });
  t.equal(await statusOf(paid.id), 200);
});

t.test('then all of a test store’s payment goes, and nothing of another’s', async (t) => {
  ahead = 11 * day;
  await eventually('the payment to go', async () => ((await statusOf(paid.id)) === 404 ? true : undefined));
  t.equal(await statusOf(kept.id), 200);
  // After a clock that jumps, the bank still tells of its charge: that goes after its own time.
  const tables = ['payments', 'events', 'deliveries', 'refunds', 'pix_received', 'idempotency_keys'];
  for (const table of tables) {
    const name = table === 'payments' ? 'id' : 'payment_id';
    const rows = await sql(`select 1 from ${table} where ${name} = $1`, [paid.id]);
    t.same(rows, [], table);
  }
  const list = async (store: { token: string }) =>
    (await system.api('/api-public/payments', { token: store.token })).body;
  t.match(await list(tested), { items: [], total: 0 });
  t.match(await list(real), { total: 1 });
  t.same((await system.admin('/admin/totals?test=true')).body.items, [], 'its sums are gone, too');
  t.match((await system.admin('/admin/totals')).body.items, [{ approvedAmount: 10 }]);
  const again = await create(tested.token, { reference: 'pedido' });
  t.equal(again.reference, 'pedido', 'its reference is free again');
});

t.test('what is not at rest stays', async (t) => {
  const open = await create(tested.token, { expiresIn: 2_592_000 });
  ahead += 12 * day;
  const gone = await create(tested.token);
  await deed(gone.id, 'pay');
  await system.waitForStatus(tested, gone.id, 'approved');
  ahead += 11 * day;
  await eventually('the other to go', async () => ((await statusOf(gone.id)) === 404 ? true : undefined));
  t.equal(await statusOf(open.id), 200);
});
