import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError } from './expectations.ts';

/** Bearer tokens, with their 401 and 403, on every store route (Contract: bearer token). */
let clock = new Date();
const system = await startSystem({ dispatcher: false, now: () => clock });
t.teardown(system.stop);
const store = await system.createStore();
const neighbour = await system.createStore();
const { body: payment } = await system.api('/api-public/payments', {
  token: store.token,
  body: { amount: 10 },
});

const endpoints: [name: string, path: string, body?: unknown][] = [
  ['POST /api-public/payments', '/api-public/payments', { amount: 10 }],
  ['GET /api-public/payments/{id}', `/api-public/payments/${payment.id}`],
  ['GET /api-public/payments', '/api-public/payments'],
];
const ask = (path: string, body: unknown, headers: Record<string, string>) =>
  system.api(path, { headers, ...(body === undefined ? {} : { body }) });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function newToken(storeId: string, body: unknown = {}) {
  return (await system.admin(`/admin/stores/${storeId}/tokens`, { body })).body as {
    id: string;
    token: string;
  };
}

const missing = 'Bearer token ausente.';
const invalid = 'Token inválido ou expirado.';
const superseded = 'Apenas o token mais recente é válido.';

const wrong = `pp_${'A'.repeat(43)}`;
const old = await system.createStore();
await newToken(old.id);
const gone = await system.createStore();
const { items } = (await system.admin(`/admin/stores/${gone.id}/tokens`)).body;
await system.admin(`/admin/stores/${gone.id}/tokens/${items[0].id}`, { method: 'DELETE' });
const off = await system.createStore();
await system.admin(`/admin/stores/${off.id}`, { method: 'PATCH', body: { active: false } });
const late = await newToken((await system.createStore()).id, {
  expiresAt: new Date(clock.getTime() + 60_000).toISOString(),
});
clock = new Date(clock.getTime() + 60_000);

const refusals: [name: string, headers: Record<string, string>, status: number, message: string][] = [
  ['7 401 Bearer token ausente.: no header', {}, 401, missing],
  ['7 401 Bearer token ausente.: empty header', { authorization: '' }, 401, missing],
  ['7 401 Token inválido ou expirado.: does not exist', bearer(wrong), 401, invalid],
  ['7 401 Token inválido ou expirado.: is wrong', bearer(`${store.token}x`), 401, invalid],
  ['7 401 Token inválido ou expirado.: expired', bearer(late.token), 401, invalid],
  ['7 401 Token inválido ou expirado.: deactivated', bearer(gone.token), 401, invalid],
  ['7 401 Apenas o token mais recente é válido.', bearer(old.token), 401, superseded],
  ['7 403 Loja inativa.', bearer(off.token), 403, 'Loja inativa.'],
];
for (const [endpoint, path, body] of endpoints) {
  for (const [name, headers, status, message] of refusals) {
    t.test(`${name} (${endpoint})`, async (t) => isError(t, await ask(path, body, headers), status, message));
  }
  t.test(`Authorization: Bearer <ACCESS_TOKEN> (${endpoint})`, async (t) => {
    t.equal((await ask(path, body, bearer(store.token))).status, 200);
  });
}

t.test('only the most recent token of a store is valid', async (t) => {
  const tokens = [await newToken(store.id), await newToken(store.id), await newToken(store.id)];
  for (const [index, { token }] of tokens.entries()) {
    const answer = await ask('/api-public/payments', undefined, bearer(token));
    if (index === 2) t.equal(answer.status, 200);
    else isError(t, answer, 401, superseded);
  }
  isError(t, await ask('/api-public/payments', undefined, bearer(store.token)), 401, superseded);
  t.equal(
    (await ask('/api-public/payments', undefined, bearer(neighbour.token))).status,
    200,
    'another store’s goes on working',
  );
});

t.test('a valid token of a deactivated store is rejected with 403', async (t) => {
  const one = await system.createStore();
  const activate = (active: boolean) =>
    system.admin(`/admin/stores/${one.id}`, { method: 'PATCH', body: { active } });
  await activate(false);
  isError(t, await ask('/api-public/payments', undefined, bearer(one.token)), 403, 'Loja inativa.');
  await activate(true);
  t.equal((await ask('/api-public/payments', undefined, bearer(one.token))).status, 200, 'active again');
});
