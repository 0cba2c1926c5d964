import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError, readFields, statuses } from './expectations.ts';

/** The list of a store's payments (Contract: reading). */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const [store, empty, neighbour] = await Promise.all([
  system.createStore(),
  system.createStore(),
  system.createStore(),
]);
const list = (query = '', token = store.token) => system.api(`/api-public/payments${query}`, { token });
const create = (body: unknown, token = store.token) => system.api('/api-public/payments', { token, body });

const created: string[] = [];
for (let n = 1; n <= 53; n += 1)
  created.push((await create({ amount: 5 + n, observation: `pedido ${n}` })).body.id);
await create({ amount: 5 }, neighbour.token);
const cancelled = [created[3], created[30]];
for (const id of cancelled)
  await system.admin(`/admin/payments/${id}/status`, { body: { status: 'not_approved' } });
const all = (await list('?limit=200')).body;

t.test('fields of the list', async (t) => {
  t.strictSame(Object.keys(all).sort(), ['items', 'limit', 'page', 'total']);
  const rows: [name: string, found: unknown, wanted: unknown][] = [
    [
      'items: the authenticated store’s payments',
      new Set(all.items.map((item: { storeId: string }) => item.storeId)),
      new Set([store.id]),
    ],
    ['items: all of them', all.items.length, 53],
    ['page: integer', all.page, 1],
    ['limit: integer', all.limit, 200],
    ['total: on all pages', (await list('?limit=1')).body.total, 53],
  ];
  for (const [name, found, wanted] of rows) await t.test(name, async (t) => t.strictSame(found, wanted));
  await t.test('a store without payments', async (t) => {
    t.strictSame((await list('', empty.token)).body, { items: [], page: 1, limit: 50, total: 0 });
  });
});

t.test('each item is a payment as the read by id shows it, webhookUrl included', async (t) => {
  await create({
    amount: 7,
    email: 'a@example.com',
    observation: 'x',
    webhookUrl: 'https://loja.example/',
  });
  const [item] = (await list('?limit=1')).body.items;
  t.strictSame(Object.keys(item).sort(), readFields);
  const read = await system.api(`/api-public/payments/${item.id}`, { token: store.token });
  t.strictSame(item, read.body);
  await t.test('entries may carry null', async (t) => {
    await create({ amount: 5 }, empty.token);
    const [bare] = (await list('', empty.token)).body.items;
    for (const field of ['feeAmount', 'liquidValue', 'webhookUrl', 'observation', 'email'])
      t.equal(bare[field], null, field);
  });
});

t.test('page: default 1', async (t) => {
  t.strictSame((await list()).body, (await list('?page=1')).body);
});

t.test('page: >= 1', async (t) => {
  isError(t, await list('?page=0'), 400, 'page must not be less than 1');
  isError(t, await list('?page=-3'), 400, 'page must not be less than 1');
  isError(t, await list('?page=um'), 400, 'page must be an integer number');
});

t.test('page: pages follow each other without gap or overlap', async (t) => {
  const before = (await list('?limit=200')).body.items.map((item: { id: string }) => item.id);
  const seen: string[] = [];
  for (let page = 1; page <= 6; page += 1) {
    const { body } = await list(`?page=${page}&limit=10`);
    t.match(body, { page, limit: 10, total: before.length });
    seen.push(...body.items.map((item: { id: string }) => item.id));
  }
  t.strictSame(seen, before);
});

t.test('limit: default 50', async (t) => {
  const { body } = await list();
  t.equal(body.limit, 50);
  t.equal(body.items.length, 50);
});

t.test('limit: 1 to 200', async (t) => {
  t.equal((await list('?limit=1')).body.items.length, 1);
  t.equal((await list('?limit=200')).status, 200);
  isError(t, await list('?limit=0'), 400, 'limit must not be less than 1');
  isError(t, await list('?limit=201'), 400, 'limit must not be greater than 200');
  isError(t, await list('?limit=1.5'), 400, 'limit must be an integer number');
});

t.test('status: default none', async (t) => {
  const found = new Set(all.items.map((item: { status: string }) => item.status));
  t.strictSame([...found].sort(), ['not_approved', 'pending']);
});

for (const status of statuses) {
  t.test(`status: ${status}`, async (t) => {
    const { status: code, body } = await list(`?limit=200&status=${status}`);
    t.equal(code, 200);
    t.ok(body.items.every((item: { status: string }) => item.status === status));
    t.equal(body.total, body.items.length);
    if (status === 'not_approved')
      t.strictSame(
        body.items.map((item: { id: string }) => item.id),
        [...cancelled].reverse(),
      );
  });
}

t.test('status: one of the enum', async (t) => {
  const message = `status must be one of the following values: ${statuses.join(', ')}`;
  isError(t, await list('?status=cancelled'), 400, message);
});
