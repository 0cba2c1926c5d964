import { call, type HttpAnswer } from '@payments/testing/http';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { listenerWith, watchRoutes } from '../../access/registered-routes.ts';
import { watchStatements } from '../../administration/books/statements.ts';
import { isError } from './expectations.ts';

/** A store can't see, count or time another store's payments on any public route (Contract: reading). */
const statements = watchStatements();
const routesOf = watchRoutes();
const system = await startSystem({ dispatcher: false });
t.teardown(async () => {
  statements.stop();
  await system.stop();
});
const routes = listenerWith(routesOf(), '/api-public/payments').filter(({ method }) => method !== 'HEAD');
const [mine, theirs] = [await system.createStore(), await system.createStore()];
const create = (token: string, fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  system.api('/api-public/payments', { token, headers, body: { amount: 10, ...fields } });
const secret = 'segredo-da-outra-loja';
const hidden = { email: 'cliente@outra.example', observation: secret };
const { body: payment } = await create(theirs.token, hidden, { 'idempotency-key': 'pedido-1' });
const nowhere = '01a1fd5c-7600-76b6-929f-81a24806273e';
const list = async (query: string) =>
  (await system.api(`/api-public/payments${query}`, { token: mine.token })).body;

/** Headers that differ for every response: the time and the request's id. */
const told = ({ status, headers, text }: HttpAnswer) => {
  const ofRequest = /^(date|x-request-id|keep-alive|connection|ratelimit)$/;
  const same = [...headers].filter(([name]) => !ofRequest.test(name));
  return { status, text, headers: Object.fromEntries(same) };
};

t.test('the public routes are those that are tried here', async (t) => {
  const known = [
    'GET /api-public/events',
    'GET /api-public/payments',
    'GET /api-public/payments/:id',
    'GET /api-public/payments/:id/refunds',
    'POST /api-public/payments',
    'POST /api-public/payments/:id/cancel',
    'POST /api-public/payments/:id/refunds',
    'POST /api-public/payments/:id/test',
    'GET /.well-known/security.txt',
    'GET /llms.txt',
    'GET /health/live',
    'GET /health/ready',
    'GET /pay/:id',
    'GET /pay/:id/events',
    'POST /pay/:id/test',
    'GET /pay/assets/icon.svg',
    'GET /pay/assets/pay.css',
    'GET /pay/assets/pay.js',
    'GET /qr/:id.png',
    'GET /qr/:id.svg',
    ...['GET', 'OPTIONS', 'POST', 'PUT'].flatMap((method) =>
      ['', '/', '/pix', '/pix/'].map((path) => `${method} /pix-callback/:secret${path}`),
    ),
  ];
  const found = routes.map(({ method, url }) => `${method} ${url}`).filter((route) => !/ \/docs/.test(route));
  t.strictSame(
    found.map((route) => route.replace(/pix-callback\/[^/]+/, 'pix-callback/:secret')).sort(),
    known.sort(),
  );
});

t.test('by id: as if it did not exist, to the last header and statement', async (t) => {
  const read = async (id: string) => {
    statements.taken();
    const answer = await system.api(`/api-public/payments/${id}`, { token: mine.token });
    return { answer, ran: statements.taken().filter((text) => text.includes('tokens')) };
  };
  // A first request of each kind warms up, so that neither is slower for being the first.
  await read(nowhere);
  const [other, none] = [await read(payment.id), await read(nowhere)];
  isError(t, other.answer, 404, 'Pagamento não encontrado.');
  t.strictSame(told(other.answer), told(none.answer));
  t.strictSame(other.ran, none.ran, 'the same statements');
  t.equal(other.ran.length, 1, 'one of them');
  const spellings = [payment.id.toUpperCase(), `${payment.id}?storeId=${theirs.id}`, `${payment.id}/`];
  for (const id of spellings) t.equal((await read(id)).answer.status, 404, id);
  for (const method of ['PUT', 'PATCH', 'DELETE', 'POST']) {
    const path = `/api-public/payments/${payment.id}`;
    const answer = await system.api(path, { token: mine.token, method });
    isError(t, answer, 404, 'Rota não encontrada.');
  }
});

t.test('by listing: neither seen nor counted, whatever is asked for', async (t) => {
  const queries = [
    '',
    '?status=pending',
    '?status=approved',
    '?limit=200&page=1',
    '?page=2',
    `?storeId=${theirs.id}`,
    `?storeId=${mine.id}&storeId=${theirs.id}`,
    `?store_id=${theirs.id}&q=${secret}`,
    '?status=pending&page=1&limit=1',
  ];
  for (const query of queries) t.match(await list(query), { items: [], total: 0 }, query);
  const before = (await list('')).total;
  await Promise.all(Array.from({ length: 5 }, () => create(theirs.token)));
  await system.admin(`/admin/payments/${payment.id}/status`, { body: { status: 'not_approved' } });
  t.equal((await list('')).total, before);
  t.equal((await list('?status=not_approved')).total, 0);
});

t.test('by creating: a payment is the token’s store’s, whatever the body and headers say', async (t) => {
  const claim = {
    storeId: theirs.id,
    store_id: theirs.id,
    isPublic: false,
    id: payment.id,
    status: 'approved',
  };
  const { body } = await create(mine.token, claim, { 'x-store-id': theirs.id });
  t.match(body, { storeId: mine.id, isPublic: true, status: 'pending' });
  t.not(body.id, payment.id);
});

t.test('by Idempotency-Key: a key is its store’s alone', async (t) => {
  const key = { 'idempotency-key': 'pedido-1' };
  const same = await create(mine.token, hidden, key);
  t.equal(same.status, 200);
  t.match(same.body, { storeId: mine.id });
  t.not(same.body.id, payment.id);
  const fresh = { 'idempotency-key': 'pedido-2' };
  const statementsOf = async (headers: Record<string, string>) => {
    statements.taken();
    t.equal((await create(mine.token, {}, headers)).status, 200, 'no 422 for a body of theirs');
    return statements.taken().filter((text) => text.includes('idempotency'));
  };
  await create(theirs.token, { amount: 11 }, fresh);
  const known = await statementsOf(fresh);
  t.ok(known.length > 0);
  t.strictSame(known, await statementsOf({ 'idempotency-key': 'pedido-3' }), 'the same statements');
});

t.test('by errors: none of another store’s settings shows', async (t) => {
  const rich = await system.createStore({ maxAmount: 50_000 });
  t.equal((await create(rich.token, { amount: 40_000 })).status, 200);
  const refused = await create(mine.token, { amount: 40_000 });
  isError(t, refused, 400, 'Valor máximo permitido para geração de pagamentos é R$ 3000,00.');
});

t.test('by token: what is not a token says nothing of stores or tokens', async (t) => {
  const tokens = [
    `${theirs.token}x`,
    theirs.token.slice(0, -1),
    theirs.id,
    payment.id,
    theirs.token.slice(3),
  ];
  const read = async (token: string) => {
    statements.taken();
    const answer = await system.api(`/api-public/payments/${payment.id}`, { token });
    const ofTokens = statements.taken().filter((text) => text.includes('tokens'));
    // Each ten seconds the uses of valid tokens are written, of earlier requests.
    return { answer: told(answer), ran: ofTokens.filter((text) => !text.includes('with used as')) };
  };
  const first = await read('pp_');
  for (const token of tokens) t.strictSame(await read(token), first, token.slice(0, 8));
});

t.test('QR images are public by design, and hold the code alone', async (t) => {
  const { text } = await system.api(`/qr/${payment.id}.svg`, { token: mine.token });
  t.match(text, /^<svg/);
  for (const known of [secret, hidden.email, theirs.id]) t.notOk(text.includes(known));
  const [other, none] = await Promise.all(
    [nowhere, 'x'].map((id) => system.api(`/qr/${id}.png`, { token: theirs.token })),
  );
  t.strictSame(told(other!), told(none!));
});

t.test('payers’ pages are public by design, and show nothing that the store noted', async (t) => {
  const { text } = await system.api(`/pay/${payment.id}`, { token: mine.token });
  t.match(text, '<main');
  for (const known of [secret, hidden.email, theirs.id]) t.notOk(text.includes(known));
  const path = `/pay/${payment.id}/events`;
  t.equal((await system.api(path, { token: mine.token })).text.replace(/^retry.*\n/, ''), 'data: closed\n\n');
});

t.test('the PSP’s callback is no way in', async (t) => {
  const pix = [{ endToEndId: 'E', txid: payment.id.replaceAll('-', ''), valor: '10.00' }];
  for (const guess of ['x', 'pix', mine.token, '%00']) {
    const answer = await call(`${system.url}/pix-callback/${guess}/pix`, { body: { pix } });
    t.equal(answer.status, 404);
  }
});

t.test('refunds and cancellation, where both stores may: as if the payment did not exist', async (t) => {
  const tokenMay = ['refund', 'cancel'];
  for (const { id } of [mine, theirs])
    await system.admin(`/admin/stores/${id}`, { method: 'PATCH', body: { tokenMay } });
  for (const [method, path] of [
    ['GET', 'refunds'],
    ['POST', 'refunds'],
    ['POST', 'cancel'],
    ['POST', 'test'],
  ] as const) {
    const ask = async (id: string) =>
      told(await system.api(`/api-public/payments/${id}/${path}`, { token: mine.token, method }));
    const answer = await ask(payment.id);
    t.equal(answer.status, 404, `${method} ${path}`);
    t.strictSame(answer, await ask(nowhere));
  }
});

t.test('the feed: nothing of another store, and its cursor is none', async (t) => {
  const read = (token: string, query = '') => system.api(`/api-public/events${query}`, { token });
  t.notOk((await read(mine.token)).text.includes(payment.id));
  const { next } = (await read(theirs.token)).body;
  t.strictSame(told(await read(mine.token, `?after=${next}`)), told(await read(mine.token, '?after=none')));
});
