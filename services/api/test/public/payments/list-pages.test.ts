import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError, statuses, uuidV7 } from './expectations.ts';

/** Ids, the order of the list, and unusual queries (Contract: reading). */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const store = await system.createStore();
const neighbour = await system.createStore();
const list = (query: string) => system.api(`/api-public/payments${query}`, { token: store.token });
const created: { id: string; createdAt: string }[] = [];
for (let n = 0; n < 5; n += 1) {
  const { body } = await system.api('/api-public/payments', { token: store.token, body: { amount: 10 + n } });
  created.push(body);
}

t.test('ids are UUIDv7', async (t) => {
  for (const { id } of created) t.match(id, uuidV7);
  t.equal(new Set(created.map(({ id }) => id)).size, created.length);
});

t.test('an id in capitals is the same id', async (t) => {
  const id = created[0]?.id ?? '';
  const { body } = await system.api(`/api-public/payments/${id.toUpperCase()}`, { token: store.token });
  t.equal(body.id, id);
});

t.test('a UUID of another version is nobody’s payment', async (t) => {
  const path = '/api-public/payments/3f0a1c9e-52cf-4f4e-9b0a-111111111111';
  isError(t, await system.api(path, { token: store.token }), 404, 'Pagamento não encontrado.');
});

t.test('newest first', async (t) => {
  const { items } = (await list('')).body;
  t.strictSame(
    items.map((item: { id: string }) => item.id),
    created.map(({ id }) => id).reverse(),
  );
  const times = items.map((item: { createdAt: string }) => item.createdAt);
  t.strictSame(times, [...times].sort().reverse());
});

const idsOf = async (query: string) => {
  const { status, body } = await list(query);
  return [status, body.items.map((item: { id: string }) => item.id), body.total, body.page];
};

t.test('after: what follows a payment, whatever page and limit say', async (t) => {
  const ids = created.map(({ id }) => id).reverse();
  t.strictSame(await idsOf(`?after=${ids[1]}&limit=2`), [200, ids.slice(2, 4), 5, 1]);
  t.strictSame(await idsOf(`?after=${ids[1]?.toUpperCase()}&limit=2&page=2`), [200, ids.slice(4), 5, 2]);
  t.strictSame(await idsOf(`?after=${ids[4]}`), [200, [], 5, 1]);
  t.strictSame(await idsOf(`?after=${ids[2]}&status=approved`), [200, [], 0, 1]);
});

t.test('after: nothing follows what is unknown, or another store’s', async (t) => {
  const { token } = await system.createStore();
  const theirs = await system.api('/api-public/payments', { token, body: { amount: 5 } });
  const unknown = '01930000-0000-7000-8000-000000000000';
  for (const after of [theirs.body.id, unknown])
    t.strictSame(await idsOf(`?after=${after}`), [200, [], 5, 1]);
});

t.test('payments created at the same moment keep one order on every page', async (t) => {
  await Promise.all(
    Array.from({ length: 20 }, () =>
      system.api('/api-public/payments', { token: neighbour.token, body: { amount: 5 } }),
    ),
  );
  const page = async (number: number) =>
    (await system.api(`/api-public/payments?limit=7&page=${number}`, { token: neighbour.token })).body.items;
  const ids = (await Promise.all([1, 2, 3].map(page))).flat().map((item: { id: string }) => item.id);
  t.equal(new Set(ids).size, 20);
  t.strictSame(ids, [...ids].sort().reverse());
});

const integer = (name: string) => `${name} must be an integer number`;
const status = `status must be one of the following values: ${statuses.join(', ')}`;
const refused: [query: string, message: string][] = [
  ['?page=', integer('page')],
  ['?page=abc', integer('page')],
  ['?page=1.0', integer('page')],
  ['?page=1e2', integer('page')],
  ['?page=0x10', integer('page')],
  ['?page=1_000', integer('page')],
  ['?page=+1', integer('page')],
  ['?page=%201', integer('page')],
  ['?page=1%20', integer('page')],
  ['?page=1%00', integer('page')],
  ['?page=%D9%A1', integer('page')],
  ['?page=null', integer('page')],
  ['?page=NaN', integer('page')],
  ['?page=Infinity', integer('page')],
  ['?page=1&page=2', integer('page')],
  ['?page=1&page=1', integer('page')],
  ['?page=9007199254740993', integer('page')],
  ['?page=99999999999999999999999999', integer('page')],
  ['?page=%', integer('page')],
  ['?page=%ZZ', integer('page')],
  ['?page=0', 'page must not be less than 1'],
  ['?page=-1', 'page must not be less than 1'],
  ['?page=-0', 'page must not be less than 1'],
  ['?limit=', integer('limit')],
  ['?limit=ten', integer('limit')],
  ['?limit=10&limit=20', integer('limit')],
  ['?limit=0', 'limit must not be less than 1'],
  ['?limit=-50', 'limit must not be less than 1'],
  ['?limit=201', 'limit must not be greater than 200'],
  ['?limit=9007199254740991', 'limit must not be greater than 200'],
  ['?status=', status],
  ['?status=Approved', status],
  ['?status=%20approved', status],
  ['?status=pending,approved', status],
  ['?status=pending&status=approved', status],
  ['?status=pending%00', status],
  ['?status=__proto__', status],
  ['?status=0', status],
  ['?after=', 'after must be a UUID'],
  ['?after=1', 'after must be a UUID'],
  ['?after=a&after=b', 'after must be a UUID'],
  [`?after=${'0'.repeat(36)}`, 'after must be a UUID'],
  ['?after=x&status=x', status],
  ['?status=x&limit=0&page=0', 'page must not be less than 1'],
  ['?status=x&limit=0', 'limit must not be less than 1'],
];
for (const [query, message] of refused) {
  t.test(`query ${query}`, async (t) => isError(t, await list(query), 400, message));
}

const far: [query: string, page: number][] = [
  ['?page=2', 2],
  ['?page=1000000', 1_000_000],
  ['?page=9007199254740991&limit=200', 9_007_199_254_740_991],
];
for (const [query, page] of far) {
  t.test(`a page beyond the end is empty: ${query}`, async (t) => {
    const { body } = await list(query);
    t.match(body, { items: [], page, total: 5 });
    t.equal(body.items.length, 0);
  });
}

const ignored = ['?page=007&limit=05', '?foo=1&__proto__=2&page[]=3', '?Page=9', '?&&='];
for (const query of ignored) {
  t.test(`accepted: ${query}`, async (t) => t.equal((await list(query)).status, 200));
}

t.test('leading zeros are no octal numbers', async (t) => {
  t.match((await list('?page=01&limit=010')).body, { page: 1, limit: 10 });
});
