import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { sendRaw } from '../../http/raw-http.ts';
import { isError } from './expectations.ts';

/** Variants of the Authorization header, and the order of checks (Contract: bearer token). */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const store = await system.createStore();
const { token } = store;

const missing = 'Bearer token ausente.';
const invalid = 'Token inválido ou expirado.';

const headers: [header: string, message: string | undefined][] = [
  [`Bearer ${token}`, undefined],
  [`bearer ${token}`, undefined],
  [`BEARER ${token}`, undefined],
  [`Bearer    ${token}`, undefined],
  [`  Bearer ${token}  `, undefined],
  ['', missing],
  ['   ', missing],
  ['Bearer', missing],
  ['Bearer ', missing],
  ['Bearer    ', missing],
  [`Basic ${Buffer.from(`${token}:`).toString('base64')}`, missing],
  [`Token ${token}`, missing],
  [token, missing],
  [`Bearer${token}`, missing],
  [`Bearer:${token}`, missing],
  [`Bearer=${token}`, missing],
  [`"Bearer ${token}"`, missing],
  [`Bearer "${token}"`, invalid],
  [`Bearer ${token},`, invalid],
  [`Bearer ${token} ${token}`, invalid],
  [`Bearer Bearer ${token}`, invalid],
  [`Bearer ${token.toUpperCase()}`, invalid],
  [`Bearer ${token.slice(0, -1)}`, invalid],
  [`Bearer ${token.slice(3)}`, invalid],
  ['Bearer null', invalid],
  ['Bearer undefined', invalid],
  ["Bearer ' or 1=1 --", invalid],
  ['Bearer é', invalid],
  [`Bearer ${'x'.repeat(10_000)}`, invalid],
];
for (const [authorization, message] of headers) {
  t.test(`Authorization: ${authorization.replaceAll(token, '<token>').slice(0, 40)}`, async (t) => {
    const answer = await system.api('/api-public/payments', { headers: { authorization } });
    if (message) isError(t, answer, 401, message);
    else t.equal(answer.status, 200);
  });
}

t.test('two Authorization headers: the first counts, alone', async (t) => {
  const head = 'GET /api-public/payments HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';
  const [good, bad] = [`Authorization: Bearer ${token}\r\n`, 'Authorization: Bearer pp_wrong\r\n'];
  t.equal((await sendRaw(system.url, `${head}${good}${bad}\r\n`)).status, 200);
  t.equal((await sendRaw(system.url, `${head}${bad}${good}\r\n`)).status, 401);
});

t.test('a token in the query or in a cookie is none', async (t) => {
  for (const query of [`access_token=${token}`, `token=${token}`])
    isError(t, await system.api(`/api-public/payments?${query}`), 401, missing);
  const cookie = await system.api('/api-public/payments', { headers: { cookie: `token=${token}` } });
  isError(t, cookie, 401, missing);
});

t.test('the administration’s key is no store’s token, and the other way round', async (t) => {
  isError(t, await system.api('/api-public/payments', { token: system.env.ADMIN_KEY ?? '' }), 401, invalid);
  isError(t, await system.admin('/admin/stores', { token }), 401, 'Chave de administração inválida.');
});

const wrong: [name: string, path: string, call: { body?: unknown; headers?: Record<string, string> }][] = [
  ['a bad body', '/api-public/payments', { body: { amount: 1 } }],
  ['malformed JSON', '/api-public/payments', { body: '{' }],
  ['another content type', '/api-public/payments', { body: 'x', headers: { 'content-type': 'text/plain' } }],
  ['a body that is too large', '/api-public/payments', { body: `"${'x'.repeat(66_000)}"` }],
  ['a bad query', '/api-public/payments?page=0', {}],
  ['an id that can’t be one', '/api-public/payments/x', {}],
  ['a payment that does not exist', '/api-public/payments/0190a5b0-0000-7000-8000-000000000000', {}],
];
for (const [name, path, call] of wrong) {
  t.test(`order: authentication before ${name}`, async (t) => {
    isError(t, await system.api(path, call), 401, missing);
    isError(t, await system.api(path, { ...call, token: 'pp_wrong' }), 401, invalid);
  });
}
