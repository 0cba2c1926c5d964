import { startBanks } from '@payments/testing/several-banks';
import { startSystem } from '@payments/testing/system';
import t from 'tap';

const banks = await startBanks([{ id: 'test' }]);
const system = await startSystem({ dispatcher: false, env: { TEST_BANK_FILE: banks.write() } });
const alone = await startSystem({ dispatcher: false });
t.teardown(async () => {
  await Promise.all([system.stop(), alone.stop()]);
  await banks.close();
});

const create = (fields: object) => system.admin('/admin/stores', { body: { name: 'Loja', ...fields } });
const change = (id: string, fields: object) =>
  system.admin(`/admin/stores/${id}`, { method: 'PATCH', body: fields });
const charge = async (token: string) =>
  (await system.api('/api-public/payments', { token, body: { amount: 10 } })).body;
const bankOf = async (id: string) => (await system.admin(`/admin/payments/${id}`)).body.bank;

t.test('a test store is one from its creation, and for ever', async (t) => {
  const { status, body } = await create({ test: true });
  t.match({ status, body }, { status: 201, body: { test: true, banks: null } });
  t.match((await system.admin(`/admin/stores/${body.id}`)).body, { test: true });
  for (const test of [true, false, 'yes'])
    t.match(await change(body.id, { test, name: 'Outra' }), {
      status: 400,
      body: { statusCode: 400, message: 'test can not be changed' },
    });
  t.match((await system.admin(`/admin/stores/${body.id}`)).body, { test: true, name: 'Loja' });
  t.match(await change(body.id, { test: null, name: 'Outra' }), {
    status: 200,
    body: { test: true, name: 'Outra' },
  });
  t.match(await create({ test: 'yes' }), { status: 400, body: { message: 'test must be a boolean value' } });
  for (const fields of [{}, { test: false }, { test: null }])
    t.match(await create(fields), { status: 201, body: { test: false } });
  const usual = (await create({})).body;
  t.equal((await change(usual.id, { test: true })).status, 400);
});

t.test('its charges are at the test bank alone, and its tokens say so', async (t) => {
  const store = await system.createStore({ test: true });
  t.match(store.token, /^pp_test_[\w-]{43}$/);
  const usual = await system.createStore();
  t.notMatch(usual.token, /^pp_test_/);
  const [tested, real] = [await charge(store.token), await charge(usual.token)];
  t.same([await bankOf(tested.id), await bankOf(real.id)], ['test', 'default']);
  t.equal((await system.bank('/bank/pay', { pixCopiaECola: tested.qrCopyPaste })).status, 404);
});

t.test('a paused test bank, and one that fails, leave its charges waiting', async (t) => {
  const store = await system.createStore({ test: true });
  const post = (path: string, body?: object) =>
    system.admin(`/admin/banks/test/${path}`, { method: 'POST', ...(body && { body }) });
  t.equal((await post('pause', { reason: 'manutenção' })).status, 204);
  t.match(await charge(store.token), { status: 'pending', qrCopyPaste: null });
  t.equal((await post('resume')).status, 204);
  t.match(await charge(store.token), { qrCopyPaste: /^000201/ });
  const real = await system.createStore();
  t.equal((await system.admin('/admin/banks/default/pause', { body: { reason: 'manutenção' } })).status, 204);
  const waiting = await charge(real.token);
  t.match(waiting, { status: 'pending', qrCopyPaste: null });
  t.equal(await bankOf(waiting.id), null, 'the test bank takes no real charge');
  t.equal((await system.admin('/admin/banks/default/resume', { method: 'POST' })).status, 204);
});

t.test('a test store names no banks, and no other store names its bank', async (t) => {
  const empty = { status: 400, body: { statusCode: 400, message: 'banks should be empty' } };
  t.match(await create({ test: true, banks: ['default'] }), empty);
  const { body: store } = await create({ test: true, banks: null });
  t.match(await change(store.id, { banks: ['default'] }), empty);
  t.equal((await change(store.id, { banks: null })).status, 200);
  const unknown = { status: 400, body: { message: 'banks must be one of the following values: default' } };
  t.match(await create({ banks: ['test'] }), unknown);
  t.match(await change((await create({})).body.id, { banks: ['default', 'test'] }), unknown);
  t.match(await change(store.id, { banks: ['test'] }), { status: 400 });
});

t.test('without a test bank there is no test store', async (t) => {
  t.match(await alone.admin('/admin/stores', { body: { name: 'Loja', test: true } }), {
    status: 409,
    body: { statusCode: 409, message: 'Não há banco de testes configurado.' },
  });
  const wrong = { name: 'Loja', test: true, feePercent: 0.00001 };
  t.equal((await alone.admin('/admin/stores', { body: wrong })).status, 400, 'the input comes first');
});

t.test('the database itself refuses a charge at a bank of the other kind', async (t) => {
  const [tested, real] = [await system.createStore({ test: true }), await system.createStore()];
  const move = (id: string, bank: string) =>
    system.db.updateTable('payments').set({ bank }).where('id', '=', id).execute();
  const [one, other] = [await charge(tested.token), await charge(real.token)];
  await t.rejects(move(one.id, 'default'), { message: /payments_at_their_kind_of_bank/ });
  await t.rejects(move(other.id, 'test'), { message: /payments_at_their_kind_of_bank/ });
  const asOther = (id: string, test: boolean) =>
    system.db.updateTable('payments').set({ test, bank: null }).where('id', '=', id).execute();
  await t.rejects(asOther(one.id, false), { message: /foreign key/ });
  await t.rejects(asOther(other.id, true), { message: /foreign key/ });
  const asStore = (id: string, test: boolean) =>
    system.db.updateTable('stores').set({ test }).where('id', '=', id).execute();
  await t.rejects(asStore(tested.id, false), { message: /foreign key/ });
});
