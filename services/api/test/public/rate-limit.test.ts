import { call, type HttpAnswer } from '@payments/testing/http';
import { startSystem } from '@payments/testing/system';
import t, { type Test } from 'tap';
import { isError } from './payments/expectations.ts';

/** Limits per store, and stricter ones per address for unknown tokens and wrong keys (Contract: rate limits). */
const limited = await startSystem({ dispatcher: false, env: { RATE_LIMIT_PER_MINUTE: '20' } });
t.teardown(limited.stop);
const free = await startSystem({ dispatcher: false, env: { RATE_LIMIT_PER_MINUTE: '0' } });
t.teardown(free.stop);

function isTooMany(t: Test, answer: HttpAnswer) {
  isError(t, answer, 429, 'Muitas requisições. Tente novamente mais tarde.');
  const seconds = Number(answer.headers.get('retry-after'));
  t.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`);
}

t.test('a store is limited; others are not', async (t) => {
  const [busy, calm] = [await limited.createStore(), await limited.createStore()];
  const list = (token: string) => limited.api('/api-public/payments', { token });
  for (let n = 0; n < 20; n += 1) t.equal((await list(busy.token)).status, 200);
  isTooMany(t, await list(busy.token));
  isTooMany(t, await limited.api('/api-public/payments', { token: busy.token, body: { amount: 10 } }));
  isTooMany(t, await limited.api('/api-public/payments/x', { token: busy.token }));
  t.equal((await list(calm.token)).status, 200);
});

t.test('each response says what the store has left, also the one that refuses', async (t) => {
  const { token } = await limited.createStore();
  const left = async () => {
    const { headers } = await limited.api('/api-public/payments', { token });
    t.equal(headers.get('ratelimit-policy'), '"default";q=20;w=60');
    const [, r, seconds] = /^"default";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
    t.ok(Number(seconds) >= 1 && Number(seconds) <= 60, `t=${seconds}`);
    return Number(r);
  };
  t.same([await left(), await left()], [19, 18]);
  for (let n = 0; n < 18; n += 1) await left();
  t.equal(await left(), 0);
  const store = await free.createStore();
  const { headers } = await free.api('/api-public/payments', { token: store.token });
  t.same([headers.get('ratelimit'), headers.get('ratelimit-policy')], [null, null], 'nothing is limited');
});

t.test('the limit is the store’s, not the token’s', async (t) => {
  const store = await limited.createStore();
  for (let n = 0; n < 20; n += 1) await limited.api('/api-public/payments', { token: store.token });
  const { body } = await limited.admin(`/admin/stores/${store.id}/tokens`, { body: {} });
  isTooMany(t, await limited.api('/api-public/payments', { token: body.token }));
});

t.test('requests whose body is refused count, too', async (t) => {
  const { token } = await limited.createStore();
  const refused = [
    { body: '{' },
    { body: 'x', headers: { 'content-type': 'text/plain' } },
    { body: { amount: 1 } },
    { body: `"${'x'.repeat(66_000)}"` },
  ];
  for (let n = 0; n < 20; n += 1)
    t.not((await limited.api('/api-public/payments', { token, ...refused[n % 4] })).status, 429);
  isTooMany(t, await limited.api('/api-public/payments', { token, body: '{' }));
});

t.test('unknown tokens: a tenth, by address; whoever has, or had, a token is answered as ever', async (t) => {
  const [store, rotated, off] = [
    await limited.createStore(),
    await limited.createStore(),
    await limited.createStore(),
  ];
  await limited.admin(`/admin/stores/${rotated.id}/tokens`, { body: {} });
  await limited.admin(`/admin/stores/${off.id}`, { method: 'PATCH', body: { active: false } });
  const attempt = (token?: string) =>
    limited.api('/api-public/payments', token === undefined ? {} : { token });
  for (let n = 0; n < 5; n += 1) {
    isError(t, await attempt(), 401, 'Bearer token ausente.');
    isError(t, await attempt(rotated.token), 401, 'Apenas o token mais recente é válido.');
    isError(t, await attempt(off.token), 403, 'Loja inativa.');
  }
  isError(t, await attempt('pp_x'), 401, 'Token inválido ou expirado.');
  isError(t, await attempt('pp_x'), 401, 'Token inválido ou expirado.');
  isTooMany(t, await attempt('pp_y'));
  isTooMany(t, await limited.api('/api-public/payments', { token: 'pp_z', body: { amount: 10 } }));
  isError(t, await attempt(), 401, 'Bearer token ausente.');
  isError(t, await attempt(rotated.token), 401, 'Apenas o token mais recente é válido.');
  isError(t, await attempt(off.token), 403, 'Loja inativa.');
  t.equal((await attempt(store.token)).status, 200);
});

t.test(
  'a token that was deactivated, or has expired, is told so beside any number of unknown ones',
  async (t) => {
    const store = await limited.createStore();
    const { body } = await limited.admin(`/admin/stores/${store.id}/tokens`);
    await limited.admin(`/admin/stores/${store.id}/tokens/${body.items[0].id}`, { method: 'DELETE' });
    while ((await limited.api('/api-public/payments', { token: 'pp_x' })).status !== 429);
    const answer = await limited.api('/api-public/payments', { token: store.token });
    isError(t, answer, 401, 'Token inválido ou expirado.');
  },
);

t.test('wrong admin keys: a tenth, by address; the right one always passes', async (t) => {
  const ask = (token: string) => limited.admin('/admin/stores', { token });
  isError(t, await ask('wrong-key-1'), 401, 'Chave de administração inválida.');
  isError(t, await ask('wrong-key-2'), 401, 'Chave de administração inválida.');
  isTooMany(t, await ask('wrong-key-3'));
  isError(t, await call(`${limited.adminUrl}/admin/stores`), 401, 'Bearer token ausente.');
  t.equal((await ask('test-admin-key')).status, 200);
});

t.test('docs, health, images and the administration are not limited', async (t) => {
  for (let n = 0; n < 25; n += 1) {
    t.equal((await limited.api('/health/live')).status, 200);
    t.equal((await limited.admin('/admin/stores')).status, 200);
  }
});

t.test('off with 0', async (t) => {
  const store = await free.createStore();
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      free.api('/api-public/payments', { token: n % 2 === 0 ? store.token : 'pp_wrong' }),
    ),
  );
  t.strictSame(new Set(answers.map(({ status }) => status)), new Set([200, 401]));
});
