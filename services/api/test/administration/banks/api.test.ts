import { startSystem } from '@payments/testing/system';
import t from 'tap';

const system = await startSystem({ dispatcher: false });
t.teardown(() => system.stop());
const store = await system.createStore();
const charge = async () =>
  (await system.api('/api-public/payments', { token: store.token, body: { amount: 10 } })).body;
const banks = async () => (await system.admin('/admin/banks')).body.items;
const post = (path: string, body?: unknown) =>
  system.admin(`/admin/banks/${path}`, { method: 'POST', ...(body === undefined ? {} : { body }) });

t.test('a bank, its state, and what was registered there today', async (t) => {
  t.match(await banks(), [{ id: 'default', psp: 'bacen', state: 'healthy', lastError: null, waiting: 0 }]);
  const { chargesToday, amountToday } = (await banks())[0];
  const { id } = await charge();
  t.match(await banks(), [{ chargesToday: chargesToday + 1, amountToday: amountToday + 10 }]);
  t.equal((await system.admin(`/admin/payments/${id}`)).body.bank, 'default');
});

t.test('a paused bank gets no new charge from the very next creation on', async (t) => {
  t.equal((await post('default/pause', { reason: 'manutenção' })).status, 204);
  const [{ state, since }] = await banks();
  t.equal(state, 'paused');
  const waiting = await charge();
  t.equal(waiting.qrCopyPaste, null);
  t.match(await banks(), [{ state: 'paused', waiting: 1 }]);
  t.equal((await system.admin(`/admin/payments/${waiting.id}`)).body.bank, null);
  const paid = await system.api(`/api-public/payments/${waiting.id}`, { token: store.token });
  t.equal(paid.body.status, 'pending');
  t.equal((await post('default/pause', { reason: 'de novo' })).status, 204, 'paused already');
  t.match(await banks(), [{ state: 'paused', since }], 'since the first pause');
  t.equal((await post('default/resume')).status, 204);
  t.equal((await post('default/resume')).status, 204, 'resumed already');
  t.match(await charge(), { qrCopyPaste: /^000201/ });
  const { body } = await system.admin('/admin/changes?limit=3');
  t.match(body.items, [
    { action: 'bank.resumed', subject: 'default' },
    { action: 'bank.paused', subject: 'default', reason: 'de novo' },
    { action: 'bank.paused', subject: 'default', reason: 'manutenção' },
  ]);
});

t.test('a pause needs a reason and a bank', async (t) => {
  for (const [body, message] of [
    [{}, 'reason must be a string'],
    [{ reason: null }, 'reason must be a string'],
    [{ reason: '' }, 'reason must be longer than or equal to 1 characters'],
    [{ reason: '  ' }, 'reason should not be empty'],
    [{ reason: '\u200b' }, 'reason should not be empty'],
  ] as const)
    t.match(await post('default/pause', body), { status: 400, body: { statusCode: 400, message } });
  const missing = { status: 404, body: { statusCode: 404, message: 'Banco não encontrado.' } };
  t.match(await post('nobody/pause', { reason: 'x' }), missing);
  t.match(await post('nobody/resume'), missing);
  t.match(await post('%00/pause', { reason: 'x' }), missing);
  t.match(await post('a%00b/resume'), missing);
});

t.test('a store’s banks', async (t) => {
  const change = (fields: object) =>
    system.admin(`/admin/stores/${store.id}`, { method: 'PATCH', body: fields });
  t.match(await change({ banks: ['default'] }), { status: 200, body: { banks: ['default'] } });
  t.match(await charge(), { qrCopyPaste: /^000201/ });
  for (const [banks, message] of [
    [[], 'banks should not be empty'],
    [['nobody'], 'banks must be one of the following values: default'],
    [['default', 'default'], 'banks must not have the same value twice'],
    ['default', 'banks must be an array'],
  ] as const)
    t.match(await change({ banks }), { status: 400, body: { statusCode: 400, message } });
  t.match(await change({ banks: null }), { status: 200, body: { banks: null } });
  const created = await system.admin('/admin/stores', { body: { name: 'Loja', banks: ['default'] } });
  t.match(created, { status: 201, body: { banks: ['default'] } });
});
