import { createHash } from 'node:crypto';
import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { listenerWith, watchRoutes } from '../../access/registered-routes.ts';
import { panelClient, tokenIn } from '../panel-client.ts';

/**
 * Every registered page and form of the panel withstands forged posts (CSRF) and injected scripts (XSS).
 */
const routesOf = watchRoutes();
const system = await startSystem({
  dispatcher: false,
  env: { WEBHOOK_RETRY_SECONDS: '0.05,600', RATE_LIMIT_PER_MINUTE: '0' },
});
t.teardown(system.stop);
const dispatcher = await system.startDispatcher();
const routes = listenerWith(routesOf(), '/admin/stores').filter(({ url }) => /^\/panel(\/|$)/.test(url));
const key = system.env.ADMIN_KEY!;

const script = '<script>alert(1)</script>';
const breakout = `'"><img src=x onerror=alert(1)>" onpointerenter="alert(1)`;
const hostile = `${script}${breakout}`;
const receiver = await startReceiver({ answer: () => ({ status: 500, body: hostile }) });
t.teardown(receiver.close);

const store = await system.createStore({ name: hostile, reason: hostile, reviewAbove: 5 });
const keyName = { name: hostile.slice(0, 100), role: 'owner' };
const { body: hostileKey } = await system.admin('/admin/keys', { body: keyName });
await system.admin(`/admin/stores/${store.id}`, {
  method: 'PATCH',
  token: hostileKey.key,
  body: { name: `${hostile} 2`, reason: hostile },
});
const { id: tokenId } = (await system.admin(`/admin/stores/${store.id}/tokens`)).body.items[0];
const email = "o'hara&{{7*7}}`x@example.com";
const payment = await (async () => {
  const webhookUrl = `${receiver.url}?a="onpointerenter="alert(1)'&lt;`;
  const body = { amount: 10, observation: hostile, email, webhookUrl };
  const created = await system.sell(store, body, { valor: '7.00', until: 'review' });
  await eventually('an attempt to be recorded', async () => {
    const { deliveries } = (await system.admin(`/admin/payments/${created.id}`)).body;
    return deliveries[0]?.attempts.length ? deliveries : undefined;
  });
  return created;
})();
// The worst texts that a bank may send.
const pix = (await system.admin(`/admin/payments/${payment.id}`)).body.pix[0]!;
const at = new Date();
const said = {
  wanted: 1,
  reason: hostile,
  lastError: { code: 'told' as const, detail: hostile },
  rtrId: hostile,
  tryAt: null,
  replaces: null,
  note: hostile,
  ordinal: null,
  orderAgainAt: null,
  owed: 1,
  idempotencyKey: null,
  requestHash: null,
};
const ofPix = {
  endToEndId: pix.endToEndId,
  bank: 'default',
  paymentId: payment.id,
  createdAt: at,
  updatedAt: at,
};
for (const origin of ['bank', 'service'] as const)
  await system.db
    .insertInto('refunds')
    .values({ ...said, ...ofPix, id: `${hostile} ${origin}`, amount: 1, wanted: 1, origin, state: 'failed' })
    .execute();
await system.admin(`/admin/payments/${payment.id}/status`, {
  token: hostileKey.key,
  body: { status: 'not_approved', reason: hostile },
});
await system.db
  .insertInto('pixReceived')
  .values({
    bank: 'default',
    endToEndId: `E${hostile}`,
    paymentId: payment.id,
    amount: 1,
    effect: hostile,
    paidAt: at,
    receivedAt: at,
    txid: null,
    unmatched: null,
  })
  .execute();
await system.db
  .insertInto('pixReceived')
  .values({
    bank: 'default',
    endToEndId: `E${hostile} 2`,
    paymentId: null,
    txid: hostile,
    amount: 1,
    effect: 'unmatched',
    unmatched: hostile,
    paidAt: at,
    receivedAt: at,
  })
  .execute();
await system.db
  .insertInto('chargeProblems')
  .values({
    bank: 'default',
    txid: hostile,
    work: 'settle',
    paymentId: payment.id,
    error: { code: 'told', detail: hostile },
    since: at,
    tryAt: null,
  })
  .execute();
const waiting = await (async () => {
  const body = { amount: 20, observation: hostile };
  const created = await system.sell(store, body, { until: 'review' });
  return created;
})();

const person = panelClient(system.adminUrl);
await person.post('/panel/sign-in', { key, name: hostile.slice(0, 100) }, '/panel/sign-in');

const ids: [RegExp, string][] = [
  [/^(\/panel\/stores)\/:\w+/, `$1/${store.id}`],
  [/^(\/panel\/payments)\/:\w+/, `$1/${payment.id}`],
  [/:tokenId/, tokenId],
  [/:\w+/g, '0190a5b0-0000-7000-8000-000000000000'],
  [/\*/, 'panel.css'],
];
const pathOf = (url: string) => ids.reduce((path, [part, id]) => path.replace(part, id), url);
// From here on, only requests may change anything.
await dispatcher.close();
const everything = async () => {
  const tables = ['stores', 'tokens', 'payments', 'events', 'refunds'] as const;
  const rows = tables.map((table) => system.db.selectFrom(table).selectAll().orderBy('id').execute());
  // Exports and searches are recorded, and are only looking. How often is told later, by a scan.
  const looking = ['export.made', 'search.by_text', 'search.by_email', 'list.paged'] as const;
  const changes = system.db
    .selectFrom('changes')
    .selectAll()
    .where('action', 'not in', looking)
    .orderBy('id');
  // These columns change without an action: a token's last use, an event's publication.
  const kept = (name: string, value: unknown) => (/At$/.test(name) ? undefined : value);
  return createHash('sha256')
    .update(JSON.stringify(await Promise.all([...rows, changes.execute()]), kept))
    .digest('hex');
};

/** @returns scripts and attributes in the page that came from an injected text */
const smuggled = (text: string) => {
  const tags = text.match(/<script>alert|<img src=x|"\s*onpointerenter="|href="(?:javascript|data):/gi) ?? [];
  // A quoted value is harmless: its own quotes are escaped.
  const attributes = text.replaceAll(/="[^"]*"/g, '').match(/<[^>]*\son[a-z]+\b/gi) ?? [];
  return [...tags, ...attributes];
};

t.test('a stored script is text on every page', async (t) => {
  const gets = routes.filter(({ method }) => method === 'GET').map(({ url }) => pathOf(url));
  const pages = [...gets, `/panel/payments/${waiting.id}`, `/panel/payments/${waiting.id}/live`];
  t.ok(gets.length >= 12, `${gets.length} pages`);
  const shows = [];
  for (const path of pages.filter((one) => !one.startsWith('/panel/assets'))) {
    const { status, headers, text } = await person.get(path, { 'x-panel-live': '1' });
    t.ok([200, 204, 303, 404].includes(status), `${path}: ${status}`);
    // A file to download is no page.
    if (path.endsWith('.csv')) {
      t.match(headers.get('content-type'), /^text\/csv/, path);
      t.match(headers.get('content-disposition'), /^attachment/, path);
      t.equal(headers.get('x-content-type-options'), 'nosniff', path);
      continue;
    }
    t.strictSame(smuggled(text), [], path);
    if (text.includes('alert(1)')) shows.push(path);
    const type = headers.get('content-type') ?? '';
    if (status === 200 && type.startsWith('text/html')) {
      t.match(headers.get('content-security-policy'), /script-src 'self'/, path);
      t.notMatch(headers.get('content-security-policy'), /unsafe/, path);
    }
  }
  const expected = [
    '/panel/stores',
    `/panel/stores/${store.id}`,
    `/panel/payments/${payment.id}`,
    '/panel/payments',
    '/panel/reviews',
    '/panel/refunds',
    '/panel/unmatched-pix',
    '/panel/charge-problems',
    '/panel/deliveries',
  ];
  for (const path of expected) t.ok(shows.includes(path), `${path} shows what was left there`);
});

t.test('a script in a query is text, or not there', async (t) => {
  const names = [
    'q',
    'status',
    'from',
    'to',
    'storeId',
    'state',
    'page',
    'done',
    'count',
    'back',
    'show',
    'error',
  ];
  for (const path of [
    '/panel',
    '/panel/payments',
    '/panel/deliveries',
    '/panel/stores',
    '/panel/reviews',
    '/panel/refunds',
    '/panel/unmatched-pix',
    '/panel/charge-problems',
    '/panel/banks',
    `/panel/stores/${store.id}/store`,
    '/panel/sign-in',
  ]) {
    const look = async (name: string) => {
      for (const who of [person, panelClient(system.adminUrl)]) {
        const answer = await who.get(`${path}?${new URLSearchParams({ [name]: hostile })}`);
        t.ok(answer.status < 500, `${path} ${name}`);
        t.strictSame(smuggled(answer.text), [], `${path} ${name}`);
        t.match(answer.headers.get('location') ?? '/panel', /^\/panel/, 'leads nowhere else');
      }
    };
    await Promise.all(names.map(look));
  }
});

t.test('no page changes anything by being looked at', async (t) => {
  const before = await everything();
  for (const { url } of routes.filter(({ method }) => method === 'GET')) {
    await person.get(pathOf(url));
    await person.get(`${pathOf(url)}?_method=POST&_csrf=x`, { 'x-http-method-override': 'POST' });
  }
  t.equal(await everything(), before);
});

t.test('a forged post changes nothing, whichever form it is of', async (t) => {
  const other = panelClient(system.adminUrl);
  await other.signIn();
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const good = tokenIn((await person.get('/panel')).text);
  const foreign = tokenIn((await other.get('/panel')).text);
  const form = (fields: Record<string, string>) =>
    new URLSearchParams({ name: 'Forjada', status: 'approved', key, ...fields });
  const forgeries: [
    name: string,
    init: { headers?: Record<string, string>; body?: string | URLSearchParams },
    query?: string,
  ][] = [
    ['no token', { body: form({}) }],
    ['an empty one', { body: form({ _csrf: '' }) }],
    ['another session’s', { body: form({ _csrf: foreign }) }],
    ['one that was cut', { body: form({ _csrf: good.slice(0, -1) }) }],
    ['one in the query', { body: form({}) }, `?_csrf=${encodeURIComponent(good)}`],
    ['one in a header', { body: form({}), headers: { 'csrf-token': 'x', 'x-csrf-token': 'x' } }],
    [
      'a good one from another site',
      { body: form({ _csrf: good }), headers: { 'sec-fetch-site': 'cross-site' } },
    ],
    [
      'a good one from a sister site',
      { body: form({ _csrf: good }), headers: { 'sec-fetch-site': 'same-site' } },
    ],
    [
      'a good one as JSON',
      { body: JSON.stringify({ _csrf: good }), headers: { 'content-type': 'application/json' } },
    ],
    ['a good one as text', { body: `_csrf=${good}`, headers: { 'content-type': 'text/plain' } }],
    ['no body', {}],
  ];
  const posts = routes.filter(({ method }) => method === 'POST');
  t.ok(posts.length >= 10, `${posts.length} forms`);
  const before = await everything();
  for (const { url } of posts) {
    for (const [name, { headers, body }, query = ''] of forgeries) {
      const init = {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, ...headers },
        ...(body ? { body } : {}),
      } as const;
      const { status } = await fetch(system.adminUrl + pathOf(url) + query, init);
      t.ok([403, 415].includes(status), `${url} with ${name}: ${status}`);
    }
  }
  t.equal(await everything(), before);
  t.equal((await person.get('/panel')).status, 200, 'and nobody was signed out');
});

t.test('a cookie is no bearer, and a bearer no cookie', async (t) => {
  const session = decodeURIComponent(person.cookies.get('panel_session') ?? '');
  for (const token of [session, session.split('.')[0] ?? '', person.cookies.get('panel_csrf') ?? '']) {
    t.equal((await system.admin('/admin/stores', { token })).status, 401);
    t.equal((await system.api('/api-public/payments', { token })).status, 401);
  }
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const { status } = await fetch(`${system.adminUrl}/admin/stores`, { headers: { cookie } });
  t.equal(status, 401, 'nor does a session open the admin API');
  for (const value of [key, store.token, `${session}.${key}`, `s:${session}`]) {
    for (const name of ['panel_session', '__Host-panel_session', 'authorization']) {
      const guess = panelClient(system.adminUrl);
      guess.cookies.set(name, encodeURIComponent(value));
      t.equal((await guess.get('/panel')).status, 303, `${name}=${value.slice(0, 10)}`);
    }
  }
});
