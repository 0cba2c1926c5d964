import { call } from '@payments/testing/http';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { sendRaw } from './raw-http.ts';

/** Headers of known attacks on proxies, frameworks and parsers neither grant access nor reveal data. */
const system = await startSystem({ dispatcher: false, env: { RATE_LIMIT_PER_MINUTE: '200' } });
t.teardown(system.stop);
const key = system.env.ADMIN_KEY!;
const [store, other] = [await system.createStore(), await system.createStore()];
const create = async ({ token }: { token: string }, headers: Record<string, string> = {}) =>
  (await system.api('/api-public/payments', { token, headers, body: { amount: 10 } })).body;
const [own, foreign] = [await create(store), await create(other)];
const raw = (url: string, lines: string[], body = '') => sendRaw(url, `${lines.join('\r\n')}\r\n\r\n${body}`);
const json = ({ body }: { body: string }) => JSON.parse(body);
const stillThere = async (id: string) =>
  (await system.admin(`/admin/payments/${id}`)).body.status === 'pending';

t.test('two Authorization headers: the first counts, and never the second', async (t) => {
  const ask = (url: string, path: string, ...tokens: string[]) =>
    raw(url, [
      `GET ${path} HTTP/1.1`,
      'Host: x',
      'Connection: close',
      ...tokens.map((token) => `Authorization: Bearer ${token}`),
    ]);
  t.equal((await ask(system.adminUrl, '/admin/stores', 'wrong', key)).status, 401);
  t.equal((await ask(system.adminUrl, '/admin/stores', store.token, key)).status, 401);
  t.equal((await ask(system.url, '/api-public/payments', 'wrong', store.token)).status, 401);
  const both = json(await ask(system.url, '/api-public/payments', store.token, other.token));
  t.strictSame([both.total, both.items[0].storeId], [1, store.id]);
  const joined = await ask(system.url, '/api-public/payments', `${other.token}, Bearer ${store.token}`);
  t.equal(joined.status, 401, 'nor a list in one');
});

t.test('a method in a header is no method', async (t) => {
  for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override', '_method']) {
    for (const method of ['DELETE', 'PATCH', 'PUT', 'POST']) {
      const headers = { [name]: method };
      const read = await system.api(`/api-public/payments/${own.id}?_method=${method}`, {
        token: store.token,
        headers,
      });
      t.equal(read.body.id, own.id);
      const shown = await system.admin(`/admin/stores/${store.id}?_method=${method}`, { headers });
      t.match(shown.body, { id: store.id, active: true });
    }
    const body = { amount: 10, _method: 'GET' };
    const posted = await system.api(`/api-public/payments/${own.id}`, {
      token: store.token,
      headers: { [name]: 'GET' },
      body,
    });
    t.equal(posted.status, 404);
  }
  for (const method of ['TRACE', 'CONNECT', 'PROPFIND', 'OPTIONS', 'get', 'G%45T']) {
    for (const url of [system.url, system.adminUrl]) {
      const path = url === system.url ? '/api-public/payments' : '/admin/stores';
      const { status, body } = await raw(url, [`${method} ${path} HTTP/1.1`, 'Host: x', 'Connection: close']);
      t.ok([400, 404].includes(status) || (method === 'CONNECT' && body === ''), `${method}: ${status}`);
      t.notMatch(body, /pp_|"id"/);
    }
  }
});

t.test('a host or proto in a header changes no address that is answered', async (t) => {
  const lies = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'gopher',
    'x-forwarded-prefix': '/evil',
    'x-original-host': 'evil.example',
    forwarded: 'host=evil.example;proto=gopher',
    origin: 'https://evil.example',
    referer: 'https://evil.example/',
  };
  const payment = await create(store, lies);
  t.equal(payment.qrCodeUrl, `${system.env.PUBLIC_URL}/qr/${payment.id}.png`);
  const paths = [
    [system.url, '/docs/json'],
    [system.url, '/docs'],
    [system.adminUrl, '/docs/json'],
    [system.adminUrl, '/panel'],
    [system.adminUrl, '/panel/sign-in'],
  ] as const;
  for (const [url, path] of paths) {
    const lines = Object.entries(lies).map(([name, value]) => `${name}: ${value}`);
    const answer = await raw(url, [
      `GET ${path} HTTP/1.1`,
      'Host: evil.example',
      'Connection: close',
      ...lines,
    ]);
    t.notMatch(answer.head + answer.body, /evil\.example|gopher/, path);
    t.notMatch(answer.head, /access-control-allow-origin/i, 'and no other origin may read it');
  }
});

/** Request smuggling: a second request hidden in the first, for a server that reads lengths differently. */
const hidden = (path: string, token: string) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
const smuggled: [name: string, lines: string[], body: (inner: string) => string][] = [
  [
    'Content-Length and Transfer-Encoding',
    ['Content-Length: 6', 'Transfer-Encoding: chunked'],
    (inner) => `0\r\n\r\n${inner}`,
  ],
  [
    'Transfer-Encoding twice',
    ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
    (i) => `0\r\n\r\n${i}`,
  ],
  ['an unknown encoding', ['Transfer-Encoding: xchunked'], (inner) => `0\r\n\r\n${inner}`],
  ['chunked, but not last', ['Transfer-Encoding: chunked, gzip'], (inner) => `0\r\n\r\n${inner}`],
  ['a space before the colon', ['Transfer-Encoding : chunked'], (inner) => `0\r\n\r\n${inner}`],
  [
    'a tab in the value',
    ['Transfer-Encoding:\tchunked', 'Content-Length: 3'],
    (inner) => `0\r\n\r\n${inner}`,
  ],
  ['two lengths', ['Content-Length: 2', 'Content-Length: 200'], (inner) => `{}${inner}`],
  ['a signed length', ['Content-Length: +2'], (inner) => `{}${inner}`],
  ['a length in hex', ['Content-Length: 0x2'], (inner) => `{}${inner}`],
  ['a bare line feed', ['X: y\nTransfer-Encoding: chunked', 'Content-Length: 2'], (inner) => `{}${inner}`],
  ['a folded header', ['X: y', ' Transfer-Encoding: chunked', 'Content-Length: 2'], (inner) => `{}${inner}`],
  ['a chunk size too large', ['Transfer-Encoding: chunked'], (inner) => `fffffffffffffffff\r\n${inner}`],
  ['a chunk size that is none', ['Transfer-Encoding: chunked'], (inner) => `zz\r\n${inner}`],
  ['a null in a header', ['X: a\0b', 'Content-Length: 2'], (inner) => `{}${inner}`],
];
for (const [name, lines, bodyOf] of smuggled) {
  t.test(`lengths: ${name}`, async (t) => {
    const sides = [
      [system.url, `/api-public/payments/${own.id}`, store.token],
      [system.adminUrl, `/admin/payments/${own.id}/status`, key],
    ] as const;
    for (const [url, path, token] of sides) {
      const head = [`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`];
      const inner = hidden(url === system.url ? '/api-public/payments' : '/admin/stores', token);
      const answer = await raw(url, [...head, 'Content-Type: application/json', ...lines], bodyOf(inner));
      t.equal(answer.status, 400);
      t.equal(`${answer.head}${answer.body}`.match(/HTTP\/1\.1 \d/g)?.length, 1, 'one answer, then the end');
      t.strictSame(json(answer), { statusCode: 400, message: 'Requisição inválida.' });
    }
    t.ok(await stillThere(own.id));
  });
}

t.test('an id in a header that is no id is replaced; none is answered as it came', async (t) => {
  for (const id of ['<script>alert(1)</script>', 'a b', 'x'.repeat(129), '{"a":1}']) {
    const answer = await call(`${system.url}/health/live`, { headers: { 'x-request-id': id } });
    t.match(answer.headers.get('x-request-id'), /^[0-9a-f-]{36}$/);
  }
  const split = await raw(system.url, [
    'GET /health/live HTTP/1.1',
    'Host: x',
    'Connection: close',
    'X-Request-Id: a%0d%0aSet-Cookie:b',
  ]);
  t.notMatch(split.head, /set-cookie/i);
});

t.test('cookies open nothing but pages, and are set by nothing else', async (t) => {
  const cookies = [`Authorization=Bearer ${key}`, `panel_session=${key}`, `token=${store.token}`];
  for (const cookie of cookies) {
    const headers = { cookie };
    t.equal((await call(`${system.adminUrl}/admin/stores`, { headers })).status, 401);
    t.equal((await call(`${system.url}/api-public/payments`, { headers })).status, 401);
  }
  const answer = await system.api(`/api-public/payments/${foreign.id}`, {
    token: other.token,
    headers: { cookie: 'a=b' },
  });
  t.equal(answer.headers.get('set-cookie'), null);
});

// This test comes last: after it, the address is over its limit.
t.test('an address in a header escapes no limit on failed authentications', async (t) => {
  const statuses = [];
  for (let n = 0; n < 25; n += 1) {
    const address = `203.0.113.${n}`;
    const headers = { 'x-forwarded-for': address, 'x-real-ip': address, forwarded: `for=${address}` };
    statuses.push((await system.api('/api-public/payments', { token: 'pp_guess', headers })).status);
  }
  t.equal(statuses.at(-1), 429);
  t.equal(
    (await system.api('/api-public/payments', { token: store.token })).status,
    200,
    'a good token works',
  );
});
