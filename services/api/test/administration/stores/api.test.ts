import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError, isoDateTime, uuidV7 } from '../../public/payments/expectations.ts';

/** Stores and webhook secrets on the admin port. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const { admin } = system;
const create = (body: unknown) => admin('/admin/stores', { body });
const { body: store } = await create({ name: 'Padaria São João 🥖' });
const change = (body: unknown) => admin(`/admin/stores/${store.id}`, { method: 'PATCH', body });
const nobody = '0190a5b0-0000-7000-8000-000000000000';

t.test('a store, with defaults', async (t) => {
  const { createdAt, id, ...rest } = store;
  t.match(id, uuidV7);
  t.match(createdAt, isoDateTime);
  t.strictSame(rest, {
    name: 'Padaria São João 🥖',
    active: true,
    feePercent: null,
    feeFixed: null,
    maxAmount: 3000,
    reviewAbove: null,
    banks: null,
    test: false,
    events: [],
    tokenMay: [],
    refundLimitPerDay: null,
  });
  t.strictSame((await admin(`/admin/stores/${id}`)).body, store);
});

t.test('a store with all fields is created with 201; unknown ones are ignored', async (t) => {
  const fields = { name: 'x', feePercent: 1.9999, feeFixed: 0.4, maxAmount: 5000.5, reviewAbove: 1000 };
  const { status, body } = await create({ ...fields, id: nobody, createdAt: 'x', active: false, extra: 1 });
  t.equal(status, 201);
  t.match(body, { ...fields, active: true });
  t.not(body.id, nobody);
});

t.test('a name is counted in characters, of which an emoji is one', async (t) => {
  const name = '🥖'.repeat(200);
  t.match(await create({ name }), { status: 201, body: { name } });
});

t.test('PATCH sets what is given and leaves the rest', async (t) => {
  t.match((await change({ feePercent: 2.5 })).body, { name: store.name, feePercent: 2.5, feeFixed: null });
  t.match((await change({ name: 'Nova', active: false })).body, {
    name: 'Nova',
    feePercent: 2.5,
    active: false,
  });
  t.match((await change({ feePercent: null, active: true })).body, { feePercent: null, active: true });
  t.match((await change({ maxAmount: 9000 })).body, { maxAmount: 9000 });
  t.match((await change({ maxAmount: null })).body, { maxAmount: 3000 });
  const before = (await admin(`/admin/stores/${store.id}`)).body;
  t.strictSame((await change({})).body, before);
  t.strictSame((await change({ name: null, active: null })).body, before, 'null is absent');
});

t.test('the list holds every store, oldest first', async (t) => {
  const later = (await create({ name: 'later' })).body;
  const { items } = (await admin('/admin/stores')).body;
  const ids = items.map(({ id }: { id: string }) => id);
  t.equal(ids[0], store.id);
  t.equal(ids.at(-1), later.id);
});

const number = 'must be a number conforming to the specified constraints';
const oneOf = (values: string) => `must be one of the following values: ${values}`;
const twice = 'must not have the same value twice';
const refused: [body: unknown, message: string][] = [
  [undefined, 'body must be an object'],
  ['', 'body must be an object'],
  ['null', 'body must be an object'],
  ['[]', 'body must be an object'],
  ['7', 'body must be an object'],
  ['"x"', 'body must be an object'],
  [{}, 'name must be a string'],
  [{ name: null }, 'name must be a string'],
  [{ name: 7 }, 'name must be a string'],
  [{ name: ['x'] }, 'name must be a string'],
  [{ name: '' }, 'name must be longer than or equal to 1 characters'],
  [{ name: '  ' }, 'name should not be empty'],
  [{ name: '\u200b\u2060 \u3164' }, 'name should not be empty'],
  [{ name: 'x'.repeat(201) }, 'name must be shorter than or equal to 200 characters'],
  [{ name: '😀'.repeat(201) }, 'name must be shorter than or equal to 200 characters'],
  [{ name: 'a\0b' }, 'name must not contain null characters'],
  [{ name: 'x', feePercent: '1' }, `feePercent ${number}`],
  [{ name: 'x', feePercent: true }, `feePercent ${number}`],
  ['{"name":"x","feePercent":1e400}', `feePercent ${number}`],
  [{ name: 'x', feePercent: -0.01 }, 'feePercent must not be less than 0'],
  [{ name: 'x', feePercent: 100.01 }, 'feePercent must not be greater than 100'],
  [{ name: 'x', feePercent: 1.00001 }, 'feePercent must have at most four decimals'],
  [{ name: 'x', feeFixed: {} }, `feeFixed ${number}`],
  [{ name: 'x', feeFixed: -1 }, 'feeFixed must not be less than 0'],
  [{ name: 'x', feeFixed: 1e9 }, 'feeFixed must not be greater than 1000000'],
  [{ name: 'x', feeFixed: 0.001 }, 'feeFixed must have at most two decimals'],
  [{ name: 'x', maxAmount: 2999.99 }, 'maxAmount must not be less than 3000'],
  [{ name: 'x', maxAmount: 1e9 }, 'maxAmount must not be greater than 1000000'],
  [{ name: 'x', maxAmount: 5000.005 }, 'maxAmount must have at most two decimals'],
  [{ name: 'x', reviewAbove: 0 }, 'reviewAbove must not be less than 0.01'],
  [{ name: 'x', reviewAbove: '100' }, `reviewAbove ${number}`],
  [{ name: 'x', events: 'payment.updated' }, 'events must be an array'],
  [{ name: 'x', events: ['payment.created'] }, `events ${oneOf('payment.updated, refund.updated')}`],
  [{ name: 'x', events: ['payment.status_changed'] }, `events ${oneOf('payment.updated, refund.updated')}`],
  [{ name: 'x', events: ['refund.updated', 'refund.updated'] }, `events ${twice}`],
  [{ name: 'x', tokenMay: { refund: true } }, 'tokenMay must be an array'],
  [{ name: 'x', tokenMay: ['refund', 'approve'] }, `tokenMay ${oneOf('refund, cancel')}`],
  [{ name: 'x', tokenMay: ['cancel', 'refund', 'cancel'] }, `tokenMay ${twice}`],
  [{ name: 'x', refundLimitPerDay: '100' }, `refundLimitPerDay ${number}`],
  [{ name: 'x', refundLimitPerDay: -0.01 }, 'refundLimitPerDay must not be less than 0'],
  [{ name: 'x', refundLimitPerDay: 1e10 }, 'refundLimitPerDay must not be greater than 1000000000'],
  [{ name: 'x', refundLimitPerDay: 1.005 }, 'refundLimitPerDay must have at most two decimals'],
];
for (const [body, message] of refused) {
  t.test(`refused: ${JSON.stringify(body)?.slice(0, 60)}`, async (t) => {
    const answer = await admin('/admin/stores', { method: 'POST', ...(body === undefined ? {} : { body }) });
    isError(t, answer, 400, message);
    const isObject = typeof body === 'object' && body !== null;
    if (!isObject || !('name' in body)) return;
    if (body.name === null) return;
    isError(t, await change(body), 400, message);
  });
}

t.test('PATCH refuses what it alone takes', async (t) => {
  isError(t, await change({ active: 'yes' }), 400, 'active must be a boolean value');
  isError(t, await change({ active: 1 }), 400, 'active must be a boolean value');
});

t.test('a store that does not exist', async (t) => {
  for (const id of [nobody, 'x', '%00', '..%2f']) {
    const paths: [method: string, path: string, body?: unknown][] = [
      ['GET', `/admin/stores/${id}`],
      ['PATCH', `/admin/stores/${id}`, { name: 'x' }],
      ['GET', `/admin/stores/${id}/tokens`],
      ['POST', `/admin/stores/${id}/tokens`, {}],
      ['GET', `/admin/stores/${id}/webhook-secret`],
      ['POST', `/admin/stores/${id}/webhook-secret/rotate`],
      ['POST', `/admin/stores/${id}/payments`, { amount: 10 }],
    ];
    for (const [method, path, body] of paths) {
      const answer = await admin(path, { method, ...(body === undefined ? {} : { body }) });
      isError(t, answer, 404, 'Loja não encontrada.');
    }
  }
});

const closed: [name: string, headers: Record<string, string>, message: string][] = [
  ['no header', {}, 'Bearer token ausente.'],
  ['an empty one', { authorization: 'Bearer ' }, 'Bearer token ausente.'],
  ['another scheme', { authorization: 'Basic dGVzdDp0ZXN0' }, 'Bearer token ausente.'],
  ['a wrong key', { authorization: 'Bearer wrong' }, 'Chave de administração inválida.'],
  ['a longer key', { authorization: `Bearer ${system.env.ADMIN_KEY}x` }, 'Chave de administração inválida.'],
  [
    'a shorter key',
    { authorization: `Bearer ${system.env.ADMIN_KEY?.slice(0, -1)}` },
    'Chave de administração inválida.',
  ],
];
for (const [name, headers, message] of closed) {
  t.test(`the administration is closed to ${name}`, async (t) => {
    const endpoints: [method: string, path: string][] = [
      ['GET', '/admin/stores'],
      ['POST', '/admin/stores'],
      ['GET', `/admin/stores/${store.id}`],
      ['PATCH', `/admin/stores/${store.id}`],
      ['GET', `/admin/stores/${store.id}/tokens`],
      ['POST', `/admin/stores/${store.id}/tokens`],
      ['DELETE', `/admin/stores/${store.id}/tokens/${nobody}`],
      ['GET', `/admin/stores/${store.id}/webhook-secret`],
      ['POST', `/admin/stores/${store.id}/webhook-secret/rotate`],
      ['POST', `/admin/stores/${store.id}/payments`],
      ['GET', `/admin/payments/${nobody}`],
      ['POST', `/admin/payments/${nobody}/status`],
      ['GET', '/admin/deliveries'],
      ['GET', `/admin/deliveries/${nobody}`],
      ['POST', `/admin/deliveries/${nobody}/redeliver`],
      ['POST', '/admin/deliveries/redeliver'],
      ['GET', '/admin/endpoints'],
      ['POST', `/admin/endpoints/${nobody}/release`],
    ];
    for (const [method, path] of endpoints) {
      const answer = await fetch(system.adminUrl + path, { method, headers });
      t.equal(answer.status, 401, `${method} ${path}`);
      t.strictSame(await answer.json(), { statusCode: 401, message });
    }
  });
}
