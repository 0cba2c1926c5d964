import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError, isoDateTime } from '../../public/payments/expectations.ts';

/** Every change by an administrator is recorded with author, time, old and new values and reason, without secrets. */
const system = await startSystem({ env: { WEBHOOK_RETRY_SECONDS: '0.05' } });
t.teardown(system.stop);
const receiver = await startReceiver({ answer: () => ({ status: 500 }) });
t.teardown(receiver.close);
const actor = { 'x-request-id': 'request-of-ana', 'user-agent': 'test-of-the-record' };
const admin = (path: string, call: { method?: string; body?: unknown } = {}) =>
  system.admin(path, { headers: actor, token: key.key, ...call });
const newStore = async (fields: Record<string, unknown> = {}) =>
  (await admin('/admin/stores', { body: { name: 'Loja', ...fields } })).body;
const changesOf = async (storeId: string) => (await admin(`/admin/stores/${storeId}/changes`)).body;
const detail = async (id: string) => (await admin(`/admin/payments/${id}`)).body;
const create = async (storeId: string, fields: Record<string, unknown> = {}) =>
  (await admin(`/admin/stores/${storeId}/payments`, { body: { amount: 10, ...fields } })).body;
const { body: key } = await system.admin('/admin/keys', { body: { name: 'Ana', role: 'owner' } });
const by = { author: 'Ana', authorId: key.id, via: 'api', requestId: 'request-of-ana' };

t.test('a store: created and changed, with what was and what is', async (t) => {
  const { id } = await newStore({ feePercent: 1.5, maxAmount: 5000 });
  const change = (body: unknown) => admin(`/admin/stores/${id}`, { method: 'PATCH', body });
  await change({ feePercent: 2.25, feeFixed: 0.4, maxAmount: 5000, reason: 'novo contrato' });
  await change({ active: false, name: 'Outra' });
  await change({ active: false, reason: 'nothing changes, nothing is recorded' });
  await change({});
  await change({ feePercent: 'x' });
  const { items, ...page } = await changesOf(id);
  t.strictSame(page, { page: 1, limit: 50, total: 3 });
  t.match(items[0], {
    action: 'store.changed',
    from: { active: true, name: 'Loja' },
    to: { active: false, name: 'Outra' },
    reason: null,
  });
  t.strictSame(
    { ...items[1], id: 0, at: '', hash: '' },
    {
      ...by,
      id: 0,
      at: '',
      action: 'store.changed',
      storeId: id,
      paymentId: null,
      subject: null,
      from: { feePercent: 1.5, feeFixed: null },
      to: { feePercent: 2.25, feeFixed: 0.4 },
      reason: 'novo contrato',
      address: '127.0.0.1',
      browser: 'test-of-the-record',
      hash: '',
    },
  );
  t.match(items[1].at, isoDateTime);
  t.match(items[1].hash, /^[0-9a-f]{64}$/);
  t.match(items[2], { action: 'store.created', to: { name: 'Loja', feePercent: 1.5, maxAmount: 5000 } });
});

t.test('tokens and secrets: that they were made, never what they are', async (t) => {
  const { id } = await newStore();
  const expiresAt = '2199-01-01T00:00:00.000Z';
  const tokens = `/admin/stores/${id}/tokens`;
  const { body: token } = await admin(tokens, { body: { expiresAt, reason: 'vazou' } });
  await admin(`${tokens}/${token.id}?reason=fim`, { method: 'DELETE' });
  await admin(`${tokens}/${token.id}`, { method: 'DELETE' });
  const before = (await admin(`/admin/stores/${id}/webhook-secret`)).body;
  const rotate = `/admin/stores/${id}/webhook-secret/rotate`;
  const after = (await admin(rotate, { body: { reason: 'rotina' } })).body;
  const { items } = await changesOf(id);
  t.match(items, [
    { action: 'webhook_secret.rotated', to: { previousUntil: after.previousUntil }, reason: 'rotina' },
    { action: 'webhook_secret.shown', author: 'Ana', via: 'api' },
    { action: 'token.deactivated', subject: token.id, reason: 'fim' },
    { action: 'token.created', subject: token.id, to: { expiresAt }, reason: 'vazou' },
    { action: 'store.created' },
  ]);
  t.equal(items.length, 5, 'what is repeated and changes nothing is not recorded');
  const everything = JSON.stringify(await system.db.selectFrom('changes').selectAll().execute());
  for (const secret of [token.token.slice(3), before.secret.slice(6), after.secret.slice(6)])
    t.notOk(everything.includes(secret));
});

t.test('decisions on a payment, with their event', async (t) => {
  const store = await newStore();
  const { id } = await create(store.id);
  const move = { status: 'not_approved', reason: 'cliente desistiu' };
  await admin(`/admin/payments/${id}/status`, { body: move });
  await admin(`/admin/payments/${id}/status`, { body: { status: 'paid', reason: 'refused' } });
  const { changes, events } = await detail(id);
  t.match(changes, [
    { ...by, action: 'payment.created', storeId: store.id, paymentId: id },
    {
      ...by,
      action: 'payment.status_changed',
      from: { status: 'pending' },
      to: { status: 'not_approved' },
      reason: 'cliente desistiu',
    },
  ]);
  t.equal(changes.length, 2, 'what was refused is not recorded');
  t.match(events, [{ author: 'Ana' }, { actor: 'administrator', author: 'Ana', reason: 'cliente desistiu' }]);
  t.equal((await changesOf(store.id)).total, 1, 'what concerns a payment is shown there');
});

t.test('redeliveries, of one and of many, and endpoints released', async (t) => {
  const store = await newStore();
  const payments = [];
  for (let n = 0; n < 2; n += 1) payments.push(await create(store.id, { webhookUrl: receiver.url }));
  const dead = async () => (await admin(`/admin/deliveries?storeId=${store.id}&state=dead`)).body.items;
  const allDead = () =>
    eventually('deliveries to be dead', async () => {
      const items = await dead();
      return items.length === 2 ? items : undefined;
    });
  const [delivery] = await allDead();
  await admin(`/admin/deliveries/${delivery.id}/redeliver`, { body: { reason: 'voltou' } });
  await allDead();
  const many = { storeId: store.id, reason: 'voltaram' };
  t.match((await admin('/admin/deliveries/redeliver', { body: many })).body, { redelivered: 2 });
  await allDead();
  t.match((await detail(delivery.paymentId)).changes.slice(1), [
    {
      ...by,
      action: 'delivery.redelivered',
      subject: delivery.id,
      from: { state: 'dead' },
      reason: 'voltou',
    },
    { ...by, action: 'delivery.redelivered', subject: delivery.id, reason: 'voltaram' },
  ]);

  const { items: failing } = (await admin('/admin/endpoints')).body;
  const endpoint = failing.find(({ storeId }: { storeId: string }) => storeId === store.id);
  const release = `/admin/endpoints/${endpoint.id}/release`;
  t.equal((await admin(release, { body: { reason: 'consertado' } })).status, 204);
  t.match((await changesOf(store.id)).items, [
    { action: 'endpoint.released', subject: endpoint.id, from: { url: receiver.url }, reason: 'consertado' },
    { action: 'deliveries.redelivered', to: { state: 'dead', since: null, redelivered: 2 } },
    { action: 'store.created' },
  ]);
});

t.test('a refund ordered anew', async (t) => {
  const store = await newStore();
  const payment = await create(store.id);
  const read = async (key: string, state: string) =>
    eventually(`the refund to be ${state}`, async () => {
      const body = await detail(payment.id);
      return body[key].at(-1)?.[key === 'refunds' ? 'state' : 'effect'] === state ? body : undefined;
    });
  await system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste, valor: '7.50' });
  await read('pix', 'review');
  await system.bank('/bank/faults', { refuseRefunds: true });
  await admin(`/admin/payments/${payment.id}/status`, { body: { status: 'not_approved' } });
  const { refunds } = await read('refunds', 'failed');
  await system.bank('/bank/faults', {});
  const path = `/admin/payments/${payment.id}/refunds/${refunds[0].id}/retry`;
  const { body: ordered } = await admin(path, { body: { reason: 'conta reaberta' } });
  t.match((await read('refunds', 'refunded')).changes.at(-1), {
    ...by,
    action: 'refund.ordered_anew',
    subject: refunds[0].endToEndId,
    from: { refundId: refunds[0].id },
    to: { refundId: ordered.id, amount: 7.5 },
    reason: 'conta reaberta',
  });
});

t.test('a header names nobody: the author is whose key it is', async (t) => {
  const headers = { 'x-actor': 'Ninguém' };
  const { body } = await system.admin('/admin/stores', { headers, body: { name: 'x' } });
  t.match((await changesOf(body.id)).items, [{ author: 'ADMIN_KEY', authorId: null }]);
});

t.test('no e-mail enters the record, since nobody can change it', async (t) => {
  const name = 'de ana@loja.example';
  const { body: named } = await system.admin('/admin/keys', { body: { name, role: 'owner' } });
  const { body } = await system.admin('/admin/stores', { token: named.key, body: { name, reason: name } });
  const { items } = await changesOf(body.id);
  t.match(items, [{ author: 'de [e-mail]', reason: 'de [e-mail]', to: { name: 'de [e-mail]' } }]);
  t.notMatch((await system.admin('/admin/changes')).text, 'ana@loja.example');
});

t.test('who and why, refused: then nothing is done', async (t) => {
  const { id } = await newStore();
  const reasons: [reason: unknown, message: string][] = [
    [7, 'reason must be a string'],
    ['a\0b', 'reason must not contain null characters'],
    ['x'.repeat(2_001), 'reason must be shorter than or equal to 2000 characters'],
  ];
  const nobody = '0190a5b0-0000-7000-8000-000000000000';
  const paths: [method: string, path: string, body?: Record<string, unknown>][] = [
    ['PATCH', `/admin/stores/${id}`, { name: 'y' }],
    ['POST', `/admin/stores/${id}/tokens`],
    ['POST', `/admin/stores/${id}/webhook-secret/rotate`],
    ['POST', '/admin/deliveries/redeliver'],
    ['POST', `/admin/deliveries/${nobody}/redeliver`],
    ['POST', `/admin/endpoints/${nobody}/release`],
  ];
  for (const [reason, message] of reasons) {
    for (const [method, path, body = {}] of paths)
      isError(t, await admin(path, { method, body: { ...body, reason } }), 400, message);
  }
  t.equal((await changesOf(id)).total, 1);
  const long400 = await admin(`/admin/stores/${id}/tokens/${nobody}?reason=a&reason=b`, { method: 'DELETE' });
  isError(t, long400, 400, 'reason must be a string');
});

t.test('all changes, newest first, page by page', async (t) => {
  const { items, total } = (await admin('/admin/changes?limit=200')).body;
  t.equal(items.length, total);
  const ids = items.map(({ id }: { id: number }) => id);
  t.strictSame(
    ids,
    ids.toSorted((a: number, b: number) => b - a),
  );
  t.match((await admin('/admin/changes?limit=1&page=2')).body, { total, items: [{ id: ids[1] }] });
  isError(t, await admin('/admin/changes?page=0'), 400, 'page must not be less than 1');
  isError(t, await admin('/admin/changes?limit=x'), 400, 'limit must be an integer number');
  const nobody = '0190a5b0-0000-7000-8000-000000000000';
  for (const id of [nobody, 'x', '%00'])
    isError(t, await admin(`/admin/stores/${id}/changes`), 404, 'Loja não encontrada.');
});
