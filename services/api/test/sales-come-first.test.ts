import { searchPayments } from '@payments/database/payments/search';
import { newToken } from '@payments/domain/tokens';
import { call } from '@payments/testing/http';
import { startOddBank } from '@payments/testing/odd-bank';
import { patienceMs } from '@payments/testing/patience';
import { lockTable, untilAnswered, untilWaiting } from '@payments/testing/pause';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import type { Actor } from '../src/access/actor.ts';
import { asApiError } from '../src/http/errors/error-answers.ts';
import { longReads } from '../src/http/long-reads.ts';
import { panelClient } from './administration/panel-client.ts';
import { newPerson } from './administration/panel-people.ts';
import { isError } from './public/payments/expectations.ts';

/** Whatever the panel, the administration and payers ask for, sales are answered (Design: Bounds). */
const system = await startSystem({
  dispatcher: false,
  databasePatienceMs: patienceMs,
  env: { DATABASE_POOL_SIZE: '10' },
});
t.teardown(system.stop);
const { admin, adminUrl, api, createStore, env } = system;
const databaseUrl = env.DATABASE_URL!;
const store = await createStore();
const { token } = store;
const many = <T>(count: number, ask: (index: number) => Promise<T>) =>
  Array.from({ length: count }, (_, index) => ask(index));
const statusesOf = async (answers: readonly Promise<{ status: number }>[]) =>
  Map.groupBy(await Promise.all(answers), ({ status }) => status);
const tooMany = 'Muitas requisições. Tente novamente mais tarde.';

t.test('sales are answered while the administration and the sign-in wait for the database', async (t) => {
  const { id } = (await api('/api-public/payments', { token, body: { amount: 10 } })).body;
  for (const [table, ask] of [
    ['changes', () => admin(`/admin/payments/${id}`)],
    ['accounts', () => call(`${adminUrl}/panel/sign-in`)],
  ] as const) {
    const lock = await lockTable(databaseUrl, table);
    const asked = many(40, ask);
    await untilWaiting(databaseUrl, 4);
    const sales = many(20, () => api('/api-public/payments', { token, body: { amount: 10 } }));
    t.strictSame([...(await statusesOf(sales)).keys()], [200], table);
    t.equal((await api('/api-public/payments?limit=1', { token })).status, 200);
    t.equal(await lock.waiters(), 4, `four of the ten connections wait for ${table}`);
    await lock.end();
    await Promise.all(asked);
  }
});

t.test('a slow bank has calls left for others, however much one store or key sells', async (t) => {
  const slow = await startOddBank();
  const two = await startSystem({
    dispatcher: false,
    databasePatienceMs: patienceMs,
    env: { PIX_URL: slow.url },
  });
  t.teardown(async () => {
    await two.stop();
    await slow.close();
  });
  slow.standBefore(two.bankUrl);
  const [one, other] = [await two.createStore(), await two.createStore()];
  const sell = (of: { token: string }, amount: number) =>
    two.api('/api-public/payments', { token: of.token, body: { amount } });
  const sellByKey = (amount: number) => two.admin(`/admin/stores/${one.id}/payments`, { body: { amount } });
  // It takes the bank's token.
  t.equal((await sell(one, 10)).status, 200);
  for (const [flood, running] of [
    [() => many(70, () => sell(one, 11)), 50],
    [() => many(70, () => sellByKey(11)), 20],
  ] as const) {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    let held = 0;
    slow.answerWith(async ({ method, body }, ask) => {
      if (method === 'PUT' && body.valor.original === '11.00') {
        held += 1;
        await answered;
      }
      return ask();
    });
    const asked = flood();
    await eventually('its calls', async () => held >= running || undefined);
    const { status, body } = await sell(other, 13);
    t.match({ status, code: body.qrCopyPaste }, { status: 200, code: /^000201/ }, 'the flood still waits');
    t.ok(held < 64, 'the bank has not all calls that it gets at a time');
    answer();
    t.strictSame([...(await statusesOf(asked)).keys()], [200], 'each waited for its turn');
  }
});

t.test('a slow bank is asked for four refunds of a store at once, and for eight in all', async (t) => {
  const slow = await startOddBank();
  const two = await startSystem({
    dispatcher: false,
    databasePatienceMs: patienceMs,
    env: { PIX_URL: slow.url },
  });
  t.teardown(async () => {
    await two.stop();
    await slow.close();
  });
  slow.standBefore(two.bankUrl);
  const stores = await Promise.all(many(3, () => two.createStore({ tokenMay: ['refund'] })));
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  let held = 0;
  slow.answerWith(async ({ method, path }, ask) => {
    if (method === 'PUT' && path.includes('/devolucao/')) {
      held += 1;
      await answered;
    }
    return ask();
  });
  for (const [index, calls] of [4, 8, 8].entries()) {
    const { token } = stores[index]!;
    const { id } = await two.sell(stores[index]!, { amount: 100 });
    const ordered = many(70, () =>
      two.api(`/api-public/payments/${id}/refunds`, { token, body: { amount: 1 } }),
    );
    t.strictSame([...(await statusesOf(ordered)).keys()], [200], 'no order waits for the bank');
    await eventually('its calls', async () => held >= calls || undefined);
    t.equal(held, calls);
  }
  const { id } = await two.sell(stores[0]!, { amount: 10 });
  await two.admin(`/admin/payments/${id}/refunds`, { method: 'POST' });
  t.equal(held, 8, 'sales had all other calls');
  answer();
  await two.waitForStatus(stores[0]!, id, 'not_approved');
});

t.test('lists and feeds of stores: one of each at a time, two in all; a sale waits for none', async (t) => {
  const others = await Promise.all(many(3, () => createStore()));
  const lock = await lockTable(databaseUrl, 'daily_totals');
  const list = (of: { token: string }) => api('/api-public/payments?from=2026-01-01', { token: of.token });
  const asked = many(520, () => list(store));
  isError(t, await Promise.race(asked), 429, tooMany);
  await untilWaiting(databaseUrl, 1);
  const feed = api('/api-public/events', { token });
  const waiting = others.map(list);
  await untilWaiting(databaseUrl, 2);
  t.equal((await api('/api-public/payments', { token, body: { amount: 10 } })).status, 200);
  t.equal((await api('/api-public/payments', { token: others[0]!.token, body: { amount: 10 } })).status, 200);
  t.equal(await lock.waiters(), 2);
  await untilAnswered([...asked, feed], 21);
  await lock.end();
  t.strictSame([...(await statusesOf(waiting)).keys()], [200], 'nobody else is refused');
  const statuses = await statusesOf([...asked, feed]);
  t.strictSame([statuses.get(200)?.length, statuses.get(429)?.length], [500, 21]);
});

t.test('a sale waits for no refunds and cancellations of a payment whose turn it is', async (t) => {
  const other = await createStore();
  const tokenMay = ['refund', 'cancel'];
  await admin(`/admin/stores/${store.id}`, { method: 'PATCH', body: { tokenMay } });
  const { id } = (await api('/api-public/payments', { token, body: { amount: 10 } })).body;
  const lock = await lockTable(databaseUrl, 'pix_received');
  const deeds = ['cancel', 'refunds'];
  const asked = many(40, (index) =>
    api(`/api-public/payments/${id}/${deeds[index % 2]}`, { token, method: 'POST' }),
  );
  await untilWaiting(databaseUrl, 1);
  const sales = many(20, () => api('/api-public/payments', { token: other.token, body: { amount: 10 } }));
  t.strictSame([...(await statusesOf(sales)).keys()], [200]);
  await lock.end();
  const statuses = await statusesOf(asked);
  t.strictSame([statuses.get(200)?.length, statuses.get(409)?.length], [1, 39]);
});

t.test('a sale waits for no reads of payments with their Pix: they share statements', async (t) => {
  const { id } = (await api('/api-public/payments', { token, body: { amount: 10 } })).body;
  const lock = await lockTable(databaseUrl, 'pix_received');
  const asked = many(40, () => api(`/api-public/payments/${id}?include=pix`, { token }));
  await untilWaiting(databaseUrl, 1);
  const sales = many(20, () => api('/api-public/payments', { token, body: { amount: 10 } }));
  t.strictSame([...(await statusesOf(sales)).keys()], [200]);
  t.ok((await lock.waiters()) <= 2);
  await lock.end();
  t.strictSame([...(await statusesOf(asked)).keys()], [200]);
});

t.test('a sale waits for no list of refunds, nor for the keys of refused creations', async (t) => {
  const { id } = (await api('/api-public/payments', { token, body: { amount: 10 } })).body;
  const refused = { token, body: { amount: 999_999 }, headers: { 'idempotency-key': 'pedido-1' } };
  const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status;
  for (const [table, ask, status] of [
    ['refunds', () => statusOf(api(`/api-public/payments/${id}/refunds`, { token })), 200],
    ['idempotency_keys', () => statusOf(api('/api-public/payments', refused)), 400],
  ] as const) {
    const lock = await lockTable(databaseUrl, table);
    const asked = many(40, ask);
    await untilWaiting(databaseUrl, 1);
    const sales = many(20, () => api('/api-public/payments', { token, body: { amount: 10 } }));
    t.strictSame([...(await statusesOf(sales)).keys()], [200], table);
    t.equal(await lock.waiters(), 1, table);
    await lock.end();
    t.strictSame([...new Set(await Promise.all(asked))], [status]);
  }
});

t.test('a sale’s token is looked up while those of strangers wait', async (t) => {
  const lock = await lockTable(databaseUrl, 'tokens');
  const strangers = many(100, () => api('/api-public/payments', { token: newToken() }));
  // A column of the look-up alone: recording when tokens were used waits for the lock, too.
  const lookUp = 'asked.place';
  await untilWaiting(databaseUrl, 2, lookUp);
  const sale = api('/api-public/payments', { token, body: { amount: 10 } });
  await untilWaiting(databaseUrl, 3, lookUp);
  t.equal(await lock.waiters(lookUp), 3);
  await lock.end();
  t.equal((await sale).status, 200);
  t.strictSame([...(await statusesOf(strangers)).keys()], [401]);
});

t.test('an event that the administration commits is told to its process, as a sale’s is', async (t) => {
  const committed = async () => {
    const { text } = await call(`${adminUrl}/metrics`);
    const [, count] = /^payments_events_committed_total\{[^}]*status="pending"\} (\d+)$/m.exec(text) ?? [];
    return Number(count ?? 0);
  };
  const before = await committed();
  await admin(`/admin/stores/${store.id}/payments`, { body: { amount: 10 } });
  t.equal(await committed(), before + 1);
});

t.test('lists: one of an actor at a time, two in all; panel and sign-in wait for none', async (t) => {
  const [viewer, other, third] = [await newPerson(system), await newPerson(system), await newPerson(system)];
  for (const [table, list, page] of [
    ['deliveries', '/admin/deliveries', '/panel/deliveries'],
    ['refunds', '/admin/refunds', '/panel/refunds'],
    ['changes', '/admin/changes', '/panel/changes'],
    ['daily_totals', '/admin/payments?from=2026-01-01', undefined],
    ['mails', '/admin/notices', undefined],
  ] as const) {
    const lock = await lockTable(databaseUrl, table);
    const asked = [...many(20, () => admin(list)), ...(page ? many(20, () => viewer.get(page)) : [])];
    await untilWaiting(databaseUrl, page ? 2 : 1);
    const others = page ? [other.get(page)] : [];
    t.equal((await third.get('/panel/stores')).status, 200, 'another page');
    t.equal((await call(`${adminUrl}/panel/sign-in`)).status, 200);
    t.equal(await lock.waiters(), page ? 2 : 1, table);
    await lock.end();
    t.strictSame([...(await statusesOf([...asked, ...others])).keys()], [200], 'each waited for its turn');
  }
});

t.test('lists and sums together leave connections to panel and sign-in', async (t) => {
  const [viewer, third] = [await newPerson(system), await newPerson(system)];
  const lock = await lockTable(databaseUrl, 'daily_totals');
  const list = 'payments?from=2026-01-01';
  const asked = [`/admin/${list}`, '/admin/totals'].map((path) => admin(path));
  const others = [`/panel/${list}`, '/panel/totals'].map((path) => viewer.get(path));
  await untilWaiting(databaseUrl, 2);
  t.equal((await third.get('/panel/stores')).status, 200);
  t.equal(await lock.waiters(), 2);
  await lock.end();
  t.strictSame([...(await statusesOf([...asked, ...others])).keys()], [200]);
});

t.test('searches: ten of an actor, through both faces together; the others are a 429', async (t) => {
  const holder = panelClient(adminUrl);
  await holder.signIn();
  const viewer = await newPerson(system, { role: 'viewer' });
  const lock = await lockTable(databaseUrl, 'pix_received');
  const asked = many(12, () => holder.get('/panel/payments?q=zq'));
  const first = await Promise.race(asked);
  t.equal(first.status, 429, 'what is refused does not wait');
  t.equal(first.headers.get('retry-after'), '5');
  t.match(first.text, tooMany);
  const refused = await admin('/admin/payments?q=z');
  isError(t, refused, 429, tooMany);
  t.equal(refused.headers.get('retry-after'), '5');
  t.equal((await admin('/admin/payments')).status, 200, 'a list without a text is no search');
  const other = viewer.get('/panel/payments?q=zq');
  await untilWaiting(databaseUrl, 2);
  t.equal(await lock.waiters(), 2, 'one of each runs');
  t.equal((await api('/api-public/payments', { token, body: { amount: 10 } })).status, 200);
  await untilAnswered(asked, 2);
  await lock.end();
  t.equal((await other).status, 200, 'another person’s search is not refused');
  const statuses = await statusesOf(asked);
  t.strictSame([statuses.get(200)?.length, statuses.get(429)?.length], [10, 2]);
  t.equal((await admin('/admin/payments?q=z')).status, 200, 'there is room again');
});

t.test('totals and statements wait in the same line', async (t) => {
  const lock = await lockTable(databaseUrl, 'daily_totals');
  const paths = ['/admin/totals', `/admin/stores/${store.id}/statement`];
  const asked = many(12, (index) => admin(paths[index % 2] as string));
  t.equal((await Promise.race(asked)).status, 429);
  t.equal((await admin(`/admin/stores/${store.id}/statement.csv`)).status, 429);
  await untilAnswered(asked, 2);
  await lock.end();
  const statuses = await statusesOf(asked);
  t.strictSame([statuses.get(200)?.length, statuses.get(429)?.length], [10, 2]);
});

t.test('exports: two of an actor, and none of them is in the record if it was refused', async (t) => {
  const exportsMade = async () => {
    const { body } = await admin('/admin/changes?limit=200');
    return body.items.filter(({ action }: { action: string }) => action === 'export.made').length;
  };
  const before = await exportsMade();
  const lock = await lockTable(databaseUrl, 'deliveries');
  const asked = many(5, () => admin('/admin/deliveries.csv'));
  const first = await Promise.race(asked);
  isError(t, first, 429, tooMany);
  t.equal(first.headers.get('retry-after'), '30');
  await untilAnswered(asked, 3);
  await lock.end();
  const statuses = await statusesOf(asked);
  t.strictSame([statuses.get(200)?.length, statuses.get(429)?.length], [2, 3]);
  t.equal(await exportsMade(), before + 2);
  t.equal((await admin('/admin/deliveries.csv')).status, 200, 'there is room again');
});

t.test('redeliveries of many: four orders of an actor wait or run', async (t) => {
  const lock = await lockTable(databaseUrl, 'deliveries');
  const asked = many(6, () => admin('/admin/deliveries/redeliver', { body: { storeId: store.id } }));
  isError(t, await Promise.race(asked), 429, tooMany);
  await untilWaiting(databaseUrl, 1);
  t.equal(await lock.waiters(), 1, 'one runs');
  await untilAnswered(asked, 2);
  await lock.end();
  const statuses = await statusesOf(asked);
  t.strictSame([statuses.get(202)?.length, statuses.get(429)?.length], [4, 2]);
});

t.test('a client that goes away leaves its place', async (t) => {
  const finance = await newPerson(system, { role: 'finance' });
  const cookie = [...finance.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const lock = await lockTable(databaseUrl, 'deliveries');
  const gone = new AbortController();
  const open = many(2, () =>
    fetch(`${adminUrl}/panel/deliveries.csv`, { headers: { cookie }, signal: gone.signal }).catch(() => 0),
  );
  await untilWaiting(databaseUrl, 1);
  gone.abort();
  await Promise.all(open);
  await lock.end();
  for (let tries = 0; (await finance.get('/panel/deliveries.csv')).status !== 200; tries += 1)
    if (tries > 500) throw new Error('the places are still taken');
  t.pass();
});

const of = (id: string): Actor => ({ kind: 'account', id, name: id, role: 'viewer', storeId: null });

t.test('a statement that takes too long ends, and is a 429 with its own words', async (t) => {
  const { read } = longReads(system.db, { running: 1, timeoutMs: 1_000 });
  const lock = await lockTable(databaseUrl, 'pix_received');
  const search = read(of('a'), (trx) => searchPayments(trx, { q: 'zq' }, { page: 1, limit: 20 }));
  const told = await search.then(() => undefined, asApiError);
  await lock.end();
  t.equal(told?.statusCode, 429);
  t.equal(told?.headers['retry-after'], '60');
  t.equal(told?.message, 'A consulta demorou demais. Escolha um período menor ou outros filtros.');
});

t.test('comparisons with the bank: four of an actor', async (t) => {
  const { compare } = longReads(system.db, { running: 1 });
  const { promise: answered, resolve: answer } = Promise.withResolvers<string>();
  const asked = many(4, () => compare(of('a'), () => answered));
  const refused = await compare(of('a'), () => answered).then(() => undefined, asApiError);
  t.equal(refused?.statusCode, 429);
  const other = compare(of('b'), () => answered);
  answer('compared');
  t.same(await Promise.all([...asked, other]), Array(5).fill('compared'));
});
