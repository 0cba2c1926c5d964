import { call, type HttpAnswer } from '@payments/testing/http';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { listenerWith, type RegisteredRoute, watchRoutes } from './registered-routes.ts';

/**
 * Every registered route of the admin listener needs the admin key. The test finds new routes by itself; an open
 * route must be listed here.
 */
const routesOf = watchRoutes();
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const routes = listenerWith(routesOf(), '/admin/stores').filter(({ method }) => method !== 'HEAD');
const store = await system.createStore({ name: 'Segredo Comercial Ltda' });
const key = system.env.ADMIN_KEY!;
const body = { amount: 10, observation: 'Segredo do pedido' };
const { body: payment } = await system.api('/api-public/payments', { token: store.token, body });

// The root redirects to the panel, which needs a sign-in.
const open: (string | RegExp)[] = ['/', '/metrics', '/llms.txt', /^\/health\//, /^\/docs(\/|$)/];
const pages = /^\/panel(\/|$)/;
const openPages = /^\/panel\/(sign-in|forgotten-password$|assets\/)/;
const isOpen = (url: string) => open.some((one) => (typeof one === 'string' ? one === url : one.test(url)));

/** Makes a path of a route with existing ids. */
const pathOf = (url: string) =>
  url
    .replace(/^(\/(?:admin|panel)\/(?:stores|lojas))\/:\w+/, `$1/${store.id}`)
    .replace(/^(\/(?:admin|panel)\/(?:payments|pagamentos))\/:\w+/, `$1/${payment.id}`)
    .replaceAll(/:\w+/g, '0190a5b0-0000-7000-8000-000000000000')
    .replaceAll('*', 'x');

/** The data that an administrator or a store can change. */
const everything = async () => {
  const tables = ['stores', 'payments', 'events', 'changes', 'deliveries', 'refunds'] as const;
  const rows = tables.map((table) => system.db.selectFrom(table).selectAll().orderBy('id').execute());
  const tokens = await system.db.selectFrom('tokens').select(['id', 'deactivatedAt']).orderBy('id').execute();
  return JSON.stringify([tokens, ...(await Promise.all(rows))]);
};

const basic = Buffer.from(`admin:${key}`).toString('base64');
const credentials: [name: string, headers: Record<string, string>, message: string][] = [
  ['none', {}, 'Bearer token ausente.'],
  ['an empty header', { authorization: '' }, 'Bearer token ausente.'],
  ['an empty bearer', { authorization: 'Bearer ' }, 'Bearer token ausente.'],
  ['Basic with the key', { authorization: `Basic ${basic}` }, 'Bearer token ausente.'],
  ['the key without a scheme', { authorization: key }, 'Bearer token ausente.'],
  ['a wrong key', { authorization: 'Bearer wrong' }, 'Chave de administração inválida.'],
  [
    'the key in capitals',
    { authorization: `Bearer ${key.toUpperCase()}` },
    'Chave de administração inválida.',
  ],
  ['a part of the key', { authorization: `Bearer ${key.slice(0, -1)}` }, 'Chave de administração inválida.'],
  ['the key and more', { authorization: `Bearer ${key} x` }, 'Chave de administração inválida.'],
  ['a store’s token', { authorization: `Bearer ${store.token}` }, 'Chave de administração inválida.'],
  ['the key as a cookie', { cookie: `authorization=Bearer ${key}; key=${key}` }, 'Bearer token ausente.'],
  [
    'the key in other headers',
    { 'x-admin-key': key, 'x-api-key': key, 'proxy-authorization': `Bearer ${key}` },
    'Bearer token ausente.',
  ],
  [
    'an address from within',
    { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '::1', forwarded: 'for=127.0.0.1' },
    'Bearer token ausente.',
  ],
  [
    'another path in a header',
    { 'x-original-url': '/health/live', 'x-rewrite-url': '/docs' },
    'Bearer token ausente.',
  ],
];

const admin = routes.filter(({ url }) => url.startsWith('/admin'));
const ask = (path: string, method: string, headers: Record<string, string>): Promise<HttpAnswer> =>
  call(`${system.adminUrl}${path}`, { method, headers });

t.test('the routes are known', async (t) => {
  t.ok(admin.length >= 25, `${admin.length} admin routes`);
  for (const { url } of routes)
    t.ok(
      url.startsWith('/admin/') || isOpen(url) || pages.test(url),
      `${url} is closed, or open by intention`,
    );
});

for (const [name, headers, message] of credentials) {
  t.test(`admin routes with ${name}`, async (t) => {
    const before = await everything();
    const closed = async ({ method, url }: RegisteredRoute) => {
      const { status, body, headers: answered } = await ask(pathOf(url), method, headers);
      t.equal(status, 401, `${method} ${url}`);
      t.strictSame(body, { statusCode: 401, message });
      t.equal(answered.get('set-cookie'), null);
    };
    await Promise.all(admin.map(closed));
    t.equal(await everything(), before, 'nothing was changed');
  });
}

t.test('nothing is told apart without a key: existence, validity, size or kind of a body', async (t) => {
  const nowhere = '0190a5b0-0000-7000-8000-000000000000';
  const tries: [
    method: string,
    path: string,
    request: { headers?: Record<string, string>; body?: string },
  ][] = [
    ['GET', `/admin/payments/${payment.id}`, {}],
    ['GET', `/admin/payments/${nowhere}`, {}],
    ['GET', '/admin/payments/x', {}],
    ['GET', '/admin/payments?page=0', {}],
    ['GET', `/admin/payments?key=${key}&token=${key}&access_token=${key}`, {}],
    ['POST', `/admin/payments/${payment.id}/status`, { body: '{' }],
    ['POST', `/admin/payments/${payment.id}/status`, { body: '{"status":"not_approved"}' }],
    ['POST', '/admin/stores', { body: 'x'.repeat(100_000), headers: { connection: 'close' } }],
    ['POST', '/admin/stores', { body: '<x/>', headers: { 'content-type': 'text/xml' } }],
    ['PATCH', `/admin/stores/${nowhere}`, { body: '{}' }],
  ];
  for (const [method, path, request] of tries) {
    const answer = await call(system.adminUrl + path, { method, ...request });
    t.strictSame(answer.body, { statusCode: 401, message: 'Bearer token ausente.' }, `${method} ${path}`);
  }
  for (const { method, url } of admin.filter(({ method }) => method === 'GET'))
    t.equal((await ask(pathOf(url), 'HEAD', {})).status, 401, `HEAD instead of ${method} ${url}`);
});

t.test('paths in other spellings open nothing', async (t) => {
  const spellings = [
    '//admin/stores',
    '/admin//stores',
    '/admin/./stores',
    '/%61dmin/stores',
    '/admin/stores/',
    '/ADMIN/stores',
    '/admin;x/stores',
    '/health/live/../../admin/stores',
    '/health/..%2fadmin/stores',
    '/docs/../admin/stores',
    '/docs/%2e%2e/admin/stores',
    '/docs/static/..%2f..%2f..%2fpackage.json',
    '/docs/static/%2e%2e/%2e%2e/package.json',
    '/admin/stores%00',
    '/admin/stores?x=/health/live',
    '/admin/stores#/health/live',
  ];
  for (const path of spellings) {
    const { status, text } = await ask(path, 'GET', {});
    t.ok([400, 401, 404].includes(status), `${path}: ${status}`);
    t.notMatch(text, /Segredo|"name"/, path);
  }
});

t.test('the open routes tell nothing of stores or payments', async (t) => {
  for (const { method, url } of routes.filter(({ url }) => isOpen(url))) {
    const { text } = await ask(pathOf(url), method, {});
    for (const secret of ['Segredo', store.id, payment.id, store.token, key])
      t.notOk(text.includes(secret), `${method} ${url}`);
  }
});

t.test('nothing of the administration is on the public port', async (t) => {
  for (const { method, url } of admin) {
    const path = system.url + pathOf(url);
    for (const token of [key, store.token])
      t.equal((await call(path, { method, token })).status, 404, `${method} ${url}`);
  }
  for (const path of ['/metrics', '/panel', '/admin'])
    t.equal((await system.api(path, { token: key })).status, 404, path);
  const wrong = await system.api('/api-public/payments', { token: key });
  t.equal(wrong.body.message, 'Token inválido ou expirado.', 'the admin key is no store’s token');
});

t.test('pages without a session, or with a bearer instead of one', async (t) => {
  const before = await everything();
  const bearers = [{}, { authorization: `Bearer ${key}` }, { authorization: `Bearer ${store.token}` }];
  for (const { method, url } of routes.filter(({ url }) => pages.test(url) && !openPages.test(url))) {
    for (const headers of bearers) {
      const answer = await fetch(system.adminUrl + pathOf(url), { method, headers, redirect: 'manual' });
      t.ok([303, 401, 403, 404, 415].includes(answer.status), `${method} ${url}: ${answer.status}`);
      if (answer.status === 303) t.match(answer.headers.get('location'), /^\/panel\/sign-in/);
      const text = await answer.text();
      for (const secret of ['Segredo', store.id, payment.id])
        t.notOk(text.includes(secret), `${method} ${url}`);
    }
  }
  t.equal(await everything(), before, 'nothing was changed');
});
