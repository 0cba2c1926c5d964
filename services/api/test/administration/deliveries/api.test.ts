import { type Receiver, startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError } from '../../public/payments/expectations.ts';

/** Webhook deliveries on the admin port. */
const system = await startSystem({ env: { WEBHOOK_RETRY_SECONDS: '0.05' } });
t.teardown(system.stop);
const { admin } = system;
const [store, other] = [await system.createStore(), await system.createStore()];
const [good, bad] = [
  await startReceiver(),
  await startReceiver({ answer: () => ({ status: 500, body: 'no' }) }),
];
t.teardown(() => Promise.all([good.close(), bad.close()]).then(() => {}));

const create = async ({ token }: { token: string }, { url }: Receiver) =>
  (await system.api('/api-public/payments', { token, body: { amount: 10, webhookUrl: url } })).body;
const ledger = async (query = '') => (await admin(`/admin/deliveries${query}`)).body;
const settled = (paymentId: string, state: string) =>
  eventually(`the delivery to be ${state}`, async () => {
    const { items } = await ledger(`?paymentId=${paymentId}`);
    return items[0]?.state === state ? items[0] : undefined;
  });

const delivered: { id: string }[] = [];
for (let n = 0; n < 3; n += 1) delivered.push(await create(store, good));
for (const { id } of delivered) await settled(id, 'delivered');
const failed = await create(other, bad);
const dead = await settled(failed.id, 'dead');

t.test('what a delivery shows', async (t) => {
  const { items, ...page } = await ledger(`?paymentId=${delivered[0]?.id}`);
  t.strictSame(page, { page: 1, limit: 50, total: 1 });
  const { id, createdAt, ...rest } = items[0];
  t.strictSame(rest, {
    eventId: id,
    event: 'payment.created',
    paymentId: delivered[0]?.id,
    storeId: store.id,
    url: good.url,
    state: 'delivered',
    attempts: 1,
    nextAttemptAt: null,
    lastError: null,
  });
  const sent = good.received.find(({ body }) => JSON.parse(body).id === delivered[0]?.id);
  t.equal(sent?.headers['webhook-id'], id, 'its id is the webhook-id');
});

t.test('a delivery with its attempts', async (t) => {
  const { body } = await admin(`/admin/deliveries/${dead.id}`);
  t.match(body, { id: dead.id, state: 'dead', lastError: /500/, nextAttemptAt: null });
  t.match(body.attempts, [
    { number: 1, statusCode: 500, responseExcerpt: 'no' },
    { number: 2, statusCode: 500 },
  ]);
  for (const id of ['0190a5b0-0000-7000-8000-000000000000', 'x', '%00'])
    isError(t, await admin(`/admin/deliveries/${id}`), 404, 'Entrega não encontrada.');
});

const filters: [query: string, total: number][] = [
  ['', 4],
  ['?foo=bar', 4],
  [`?storeId=${store.id}`, 3],
  [`?storeId=${other.id}`, 1],
  [`?storeId=${store.id.toUpperCase()}`, 3],
  ['?storeId=0190a5b0-0000-7000-8000-000000000000', 0],
  [`?paymentId=${failed.id}`, 1],
  ['?state=delivered', 3],
  ['?state=dead', 1],
  ['?state=pending', 0],
  [`?storeId=${store.id}&state=dead`, 0],
  [`?storeId=${other.id}&paymentId=${failed.id}&state=dead`, 1],
];
for (const [query, total] of filters) {
  t.test(`filter ${query}`, async (t) => {
    const found = await ledger(query);
    t.equal(found.total, total);
    t.equal(found.items.length, total);
  });
}

t.test('newest first, page by page', async (t) => {
  const { items } = await ledger();
  const all = items.map(({ id }: { id: string }) => id);
  const times = items.map(({ createdAt }: { createdAt: string }) => createdAt);
  t.strictSame(times, [...times].sort().reverse());
  const paged = [];
  for (let page = 1; page <= 4; page += 1) {
    const found = await ledger(`?limit=1&page=${page}`);
    t.match(found, { page, limit: 1, total: 4 });
    paged.push(...found.items.map(({ id }: { id: string }) => id));
  }
  t.strictSame(paged, all);
  for (const page of [5, 1_000_000, 9_007_199_254_740_991])
    t.match(await ledger(`?limit=200&page=${page}`), { items: [], page, total: 4 });
});

const state = 'state must be one of the following values: pending, delivered, dead';
const refused: [query: string, message: string][] = [
  ['?page=0', 'page must not be less than 1'],
  ['?page=x', 'page must be an integer number'],
  ['?page=1.5', 'page must be an integer number'],
  ['?page=1e3', 'page must be an integer number'],
  ['?page=', 'page must be an integer number'],
  ['?page=1&page=2', 'page must be an integer number'],
  ['?limit=true', 'limit must be an integer number'],
  ['?limit=0', 'limit must not be less than 1'],
  ['?limit=201', 'limit must not be greater than 200'],
  ['?storeId=x', 'storeId must be a UUID'],
  ['?storeId=', 'storeId must be a UUID'],
  ['?storeId=%00', 'storeId must be a UUID'],
  [`?storeId=${store.id}&storeId=${other.id}`, 'storeId must be a UUID'],
  ['?paymentId=7', 'paymentId must be a UUID'],
  ['?state=', state],
  ['?state=DEAD', state],
  ['?state=dead&state=pending', state],
];
for (const [query, message] of refused) {
  t.test(`refused ${query}`, async (t) => isError(t, await admin(`/admin/deliveries${query}`), 400, message));
}

const badBodies: [body: unknown, message: string][] = [
  ['[]', 'body must be an object'],
  ['7', 'body must be an object'],
  [{ storeId: 'x' }, 'storeId must be a UUID'],
  [{ storeId: 7 }, 'storeId must be a string'],
  [{ state: 'lost' }, state],
  [{ state: 7 }, state],
  [{ since: 7 }, 'since must be a string'],
  ...['x', '1', 'yesterday', '2026-01-01', '-271821-04-20T00:00:00Z', '+275760-09-13T00:00:00Z'].map(
    (since): [unknown, string] => [{ since }, 'since must be a valid ISO 8601 date string'],
  ),
];
for (const [body, message] of badBodies) {
  t.test(`refused redelivery of ${JSON.stringify(body)}`, async (t) =>
    isError(t, await admin('/admin/deliveries/redeliver', { body }), 400, message),
  );
}

t.test('redeliver one: sent again under the same webhook-id, with a schedule of its own', async (t) => {
  const before = bad.received.length;
  const { status, body } = await admin(`/admin/deliveries/${dead.id}/redeliver`, { method: 'POST' });
  t.equal(status, 202);
  t.match(body, { id: dead.id, state: 'pending', attempts: 2 });
  await bad.waitForCount(before + 2);
  await settled(failed.id, 'dead');
  t.strictSame(new Set(bad.received.map(({ headers }) => headers['webhook-id'])), new Set([dead.id]));

  bad.answerWith(() => ({ status: 200 }));
  t.equal((await admin(`/admin/deliveries/${dead.id}/redeliver`, { method: 'POST' })).status, 202);
  t.match(await settled(failed.id, 'delivered'), { attempts: 5, lastError: null });
  for (const id of ['0190a5b0-0000-7000-8000-000000000000', 'x'])
    isError(
      t,
      await admin(`/admin/deliveries/${id}/redeliver`, { method: 'POST' }),
      404,
      'Entrega não encontrada.',
    );
});

t.test('redeliver one that is under way is a 409', async (t) => {
  const refused = Promise.withResolvers<void>();
  const slow = await startReceiver({ answer: () => ({ status: 200, after: refused.promise }) });
  t.teardown(slow.close);
  const payment = await create(store, slow);
  await slow.waitForCount(1);
  const { items } = await ledger(`?paymentId=${payment.id}`);
  const answer = await admin(`/admin/deliveries/${items[0].id}/redeliver`, { method: 'POST' });
  isError(t, answer, 409, 'Há uma tentativa de entrega em andamento.');
  refused.resolve();
  await settled(payment.id, 'delivered');
  t.equal(slow.received.length, 1);
});

t.test('redeliver many: the dead ones of a store, since a time', async (t) => {
  const again = (body: unknown) => admin('/admin/deliveries/redeliver', { body });
  bad.answerWith(() => ({ status: 500 }));
  const since = new Date().toISOString();
  const payments = [await create(other, bad), await create(other, bad)];
  for (const { id } of payments) await settled(id, 'dead');
  bad.answerWith(() => ({ status: 200 }));
  const none = { status: 202, body: { redelivered: 0 } };
  t.match(await again({ storeId: store.id }), none);
  t.match(await again({ storeId: other.id, since: '2199-01-01T00:00:00Z' }), none);
  const { status, body } = await again({ storeId: other.id, since, state: null });
  t.equal(status, 202);
  t.strictSame(body, { redelivered: 2 });
  for (const { id } of payments) await settled(id, 'delivered');
  t.match(await again({}), none, 'nothing is dead any more');
  t.equal((await admin('/admin/deliveries/redeliver', { method: 'POST' })).status, 202, 'a body is optional');
});
