import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { findAccountWithSecrets } from '@payments/database/accounts/accounts';
import { insertSession } from '@payments/database/accounts/sessions';
import { newId } from '@payments/domain/identifiers';
import { lockTable, untilWaiting } from '@payments/testing/pause';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { hashPassword } from '../../../src/people/sign-in/passwords.ts';
import { panelClient, tokenIn } from '../../administration/panel-client.ts';
import { newPerson, type Person, password } from '../../administration/panel-people.ts';

/** The panel's sign-in, sessions, forged posts and headers. */
let now = new Date();
const system = await startSystem({ dispatcher: false, now: () => now });
t.teardown(system.stop);
const { adminUrl } = system;

t.test('the admin port leads to the panel, and the panel to its sign-in', async (t) => {
  const visitor = panelClient(adminUrl);
  const root = await visitor.get('/');
  t.equal(root.status, 302);
  t.equal(root.headers.get('location'), '/panel');
  for (const path of ['/panel', '/panel/stores', '/panel/payments/x', '/panel/deliveries?state=dead']) {
    const { status, headers, text } = await visitor.get(path);
    t.equal(status, 303, path);
    t.equal(headers.get('location'), `/panel/sign-in?back=${encodeURIComponent(path)}`);
    t.equal(text, '', 'and tells nothing');
  }
});

t.test('a session: signed in, used, signed out', async (t) => {
  const person = panelClient(adminUrl);
  const answer = await person.signIn();
  t.equal(answer.status, 303);
  t.equal(answer.headers.get('location'), '/panel');
  const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('panel_session=')) ?? '';
  for (const attribute of ['HttpOnly', 'SameSite=Lax', 'Path=/panel', 'Max-Age=28800'])
    t.match(cookie, attribute);
  t.notMatch(cookie, 'Secure', 'over plain HTTP it could never be sent back');
  const page = await person.get('/panel');
  t.equal(page.status, 200);
  t.match(page.text, '<html lang="pt-BR">');
  const kept = person.cookies.get('panel_session') ?? '';
  const out = await person.post('/panel/sign-out');
  t.equal(out.headers.get('location'), '/panel/sign-in');
  t.equal((await person.get('/panel')).status, 303);
  person.cookies.set('panel_session', kept);
  t.equal((await person.get('/panel')).status, 303, 'a copy of the cookie is worth nothing either');
});

t.test('cookies need TLS where the panel is opened by https, whatever a request says', async (t) => {
  const { startApi } = await import('../../../src/api.ts');
  const { apiSettings } = await import('../../../src/settings.ts');
  const { readEnvironment } = await import('@payments/runtime/environment');
  const { createLogger } = await import('@payments/runtime/logging');
  for (const [addresses, isSecure] of [
    [{ ADMIN_URL: 'https://panel.example' }, true],
    [{ PUBLIC_URL: 'https://pay.example' }, true],
    [{ PUBLIC_URL: 'https://pay.example', ADMIN_URL: 'http://panel.internal:3001' }, false],
    [{}, false],
  ] as const) {
    const settings = readEnvironment(apiSettings, { ...system.env, PORT: '0', ...addresses });
    const replica = await startApi(settings, createLogger('api', 'silent'));
    for (const proto of ['http', 'https']) {
      const person = panelClient(`http://127.0.0.1:${replica.adminPort}`, { 'x-forwarded-proto': proto });
      const given = [...(await person.get('/panel/sign-in')).headers.getSetCookie()];
      given.push(...(await person.signIn()).headers.getSetCookie());
      t.ok(given.some((line) => line.startsWith('panel_csrf=')));
      t.ok(given.some((line) => line.startsWith('panel_session=')));
      for (const line of given) t.equal(line.includes('; Secure'), isSecure, line);
    }
    await replica.close();
  }
});

t.test('after signing in one is back at the page that was asked for, and only of the panel', async (t) => {
  const to = async (back: string) => {
    const fields = { key: 'test-admin-key', back };
    const { headers } = await panelClient(adminUrl).post('/panel/sign-in', fields, '/panel/sign-in');
    return headers.get('location');
  };
  const pages = [
    '/panel/payments?status=review',
    // A search form writes blanks as `+`.
    `/panel/payments?${new URLSearchParams({ q: 'ana maria* ~(açaí) a@b.co', from: '2026-11-01' })}`,
  ];
  for (const back of pages) t.equal(await to(back), back);
  const elsewhere = [
    'https://evil.example',
    '//evil.example',
    '/panel//evil',
    '/panel\\evil',
    '/admin/stores',
    '/panelx',
  ];
  for (const back of elsewhere) t.equal(await to(back), '/panel', back);
});

t.test('who asks for a file after the session’s end signs in to its list', async (t) => {
  const person = panelClient(adminUrl);
  await person.signIn();
  const { text } = await person.get('/panel/payments?status=review');
  t.match(
    text,
    '<a class="button" href="/panel/payments.csv?status=review">Exportar CSV</a>',
    'the answer decides what it is',
  );
  person.cookies.delete('panel_session');
  const { headers } = await person.get('/panel/payments.csv?status=review');
  t.equal(
    headers.get('location'),
    `/panel/sign-in?back=${encodeURIComponent('/panel/payments?status=review')}`,
  );
});

t.test('who sends a form after the session’s end learns that nothing was done', async (t) => {
  const person = panelClient(adminUrl);
  await person.signIn();
  const { cookies } = person;
  cookies.delete('panel_session');
  const { status, headers } = await person.post('/panel/stores', { name: 'Tarde' }, '/panel/sign-in');
  t.equal(status, 303);
  const { text } = await person.get(headers.get('location')!);
  t.match(text, 'Sua sessão terminou antes do envio, e nada foi feito.');
  t.strictSame((await system.admin('/admin/stores')).body.items, [], 'no store was made');
});

t.test('a session ends after eight hours, however much it is used', async (t) => {
  const person = panelClient(adminUrl);
  await person.signIn();
  const began = now;
  for (let minutes = 25; minutes < 8 * 60; minutes += 25) {
    now = new Date(began.getTime() + minutes * 60_000);
    t.equal((await person.get('/panel')).status, 200);
  }
  now = new Date(began.getTime() + 8 * 3_600_000 - 1_000);
  t.equal((await person.get('/panel')).status, 200);
  now = new Date(began.getTime() + 8 * 3_600_000);
  t.equal((await person.get('/panel')).status, 303);
  now = began;
});

t.test('a session ends after half an hour without use; an open page does not use it', async (t) => {
  const person = await newPerson(system);
  const watcher = panelClient(adminUrl);
  await watcher.signInAs(person.email, person.password);
  const began = now;
  const after = (seconds: number) => {
    now = new Date(began.getTime() + seconds * 1_000);
  };
  after(1_799);
  t.equal((await person.get('/panel')).status, 200);
  t.equal((await watcher.get('/panel/payments/x/live', { 'x-panel-live': '1' })).status, 404);
  const listed = async () => (await person.get('/panel/my-account')).text.match(/127\.0\.0\.1/g)?.length;
  t.equal(await listed(), 2);
  after(1_800);
  t.equal((await person.get('/panel')).status, 200);
  t.equal((await watcher.get('/panel')).status, 303);
  t.equal(await listed(), 1, 'and it is listed no more');
  now = began;
});

t.test('uses are written now and then, not at each request', async (t) => {
  const person = await newPerson(system);
  const began = now;
  const written = async () => {
    const sessions = system.db.selectFrom('sessions').select('lastUsedAt');
    const [row] = await sessions.where('accountId', '=', person.id).execute();
    return row?.lastUsedAt.getTime();
  };
  for (const [seconds, expected] of [
    [59, 0],
    [60, 60],
    [119, 60],
    [120, 120],
  ] as const) {
    now = new Date(began.getTime() + seconds * 1_000);
    await person.get('/panel');
    t.equal(await written(), began.getTime() + expected * 1_000, `${seconds} s`);
  }
  now = began;
});

t.test('a cookie that was changed, made up or made elsewhere opens nothing', async (t) => {
  const person = panelClient(adminUrl);
  await person.signIn();
  const good = decodeURIComponent(person.cookies.get('panel_session') ?? '');
  const [id = '', mark = ''] = good.split('.');
  const csrf = person.cookies.get('panel_csrf') ?? '';
  const bad = [
    '',
    id,
    `${id}.`,
    `${id.slice(0, -1)}${id.endsWith('A') ? 'B' : 'A'}.${mark}`,
    good.slice(0, -1),
    `s:${good}`,
    decodeURIComponent(csrf),
    'x'.repeat(4_000),
  ];
  for (const value of bad) {
    person.cookies.set('panel_session', encodeURIComponent(value));
    t.equal((await person.get('/panel')).status, 303, value.slice(0, 60));
  }
  person.cookies.set('panel_session', encodeURIComponent(good));
  t.equal((await person.get('/panel')).status, 200);
});

t.test('another replica knows the session; one with another key does not', async (t) => {
  const person = panelClient(adminUrl);
  await person.signIn();
  const { startApi } = await import('../../../src/api.ts');
  const { apiSettings } = await import('../../../src/settings.ts');
  const { readEnvironment } = await import('@payments/runtime/environment');
  const { createLogger } = await import('@payments/runtime/logging');
  for (const [key, status] of [
    ['test-admin-key', 200],
    ['another-admin-key', 303],
  ] as const) {
    const settings = readEnvironment(apiSettings, { ...system.env, PORT: '0', ADMIN_KEY: key });
    const replica = await startApi(settings, createLogger('api', 'silent'), { now: () => now });
    const there = panelClient(`http://127.0.0.1:${replica.adminPort}`);
    for (const [name, value] of person.cookies) there.cookies.set(name, value);
    t.equal((await there.get('/panel')).status, status, key);
    await replica.close();
  }
});

t.test('a post without a good token of this session changes nothing', async (t) => {
  const [person, other] = [panelClient(adminUrl), panelClient(adminUrl)];
  await person.signIn();
  await other.signIn();
  const foreign = tokenIn((await other.get('/panel')).text);
  const before = tokenIn((await panelClient(adminUrl).get('/panel/sign-in')).text);
  for (const _csrf of ['', 'x', foreign, before]) {
    const { status, text } = await person.post('/panel/stores', { name: 'Forjada', _csrf });
    t.equal(status, 403, _csrf);
    t.match(text, 'Este formulário expirou.');
  }
  const { body } = await system.admin('/admin/stores');
  t.strictSame(body.items, [], 'no store was made');
  t.equal((await person.post('/panel/stores', { name: 'Loja' })).status, 303);
});

t.test('a post that a browser says comes from another site is refused, whatever it carries', async (t) => {
  const person = panelClient(adminUrl);
  await person.signIn();
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const _csrf = tokenIn((await person.get('/panel')).text);
  for (const [site, status] of [
    ['cross-site', 403],
    ['same-site', 403],
    ['same-origin', 303],
  ] as const) {
    const headers = { cookie, 'sec-fetch-site': site };
    const init = {
      method: 'POST',
      redirect: 'manual',
      headers,
      body: new URLSearchParams({ _csrf, name: site }),
    } as const;
    t.equal((await fetch(`${adminUrl}/panel/stores`, init)).status, status, site);
  }
});

t.test('headers of every page', async (t) => {
  const person = panelClient(adminUrl);
  const pages = [await person.get('/panel/sign-in')];
  await person.signIn();
  for (const path of ['/panel', '/panel/stores', '/panel/stores/x', '/panel/nowhere'])
    pages.push(await person.get(path));
  for (const { headers, text, status } of pages) {
    const policy = headers.get('content-security-policy') ?? '';
    t.match(policy, "default-src 'none'", String(status));
    for (const directive of [
      "script-src 'self'",
      "frame-ancestors 'none'",
      "form-action 'self'",
      "base-uri 'none'",
    ])
      t.match(policy, directive);
    t.notMatch(policy, 'unsafe');
    t.equal(headers.get('cache-control'), 'no-store');
    t.equal(headers.get('x-content-type-options'), 'nosniff');
    t.match(headers.get('x-frame-options') ?? '', /DENY|SAMEORIGIN/);
    t.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    t.notMatch(
      text,
      /<style|style="|<script(?! type="module" src="\/panel\/assets\/)|\son\w+=/,
      'nothing inline',
    );
  }
});

t.test('pages are no part of the admin API’s document', async (t) => {
  const { body } = await system.admin('/docs/json');
  t.strictSame(
    Object.keys(body.paths).filter((path) => path.startsWith('/panel') || path === '/'),
    [],
  );
});

t.test(
  'wrong keys are limited; the right one signs in, whatever others behind the same proxy did',
  async (t) => {
    const guesser = panelClient(adminUrl);
    for (let guess = 0; guess < 10; guess += 1) {
      const { status, text } = await guesser.signIn(`wrong-key-${guess}`);
      t.equal(status, 401);
      t.match(text, 'Chave de administração inválida.');
      t.notMatch(text, `wrong-key-${guess}`);
    }
    // An answer does not wait for its record.
    const newest = await eventually('a refused sign-in in the record', async () => {
      const [change] = (await system.admin('/admin/changes?limit=1')).body.items;
      return change?.action === 'sign_in_refused' ? change : undefined;
    });
    t.match(newest, { author: null, to: { cause: 'admin_key' } });
    const { status, headers, text } = await guesser.signIn('wrong-key-10');
    t.equal(status, 429);
    t.match(text, 'Muitas tentativas. Tente de novo em 10 minutos.');
    t.ok(Number(headers.get('retry-after')) > 0);
    t.notOk(guesser.cookies.has('panel_session'));
    const colleague = panelClient(adminUrl);
    t.equal((await colleague.signIn()).status, 303);
    t.equal((await colleague.get('/panel')).status, 200);
  },
);

/** Sends a form's headers, and its body once the page's session was read and `meanwhile` is done. */
async function heldBack(
  person: Person,
  path: string,
  fields: Record<string, string>,
  meanwhile: () => Promise<unknown>,
) {
  const _csrf = tokenIn((await person.get(path)).text);
  const body = new URLSearchParams({ _csrf, ...fields }).toString();
  const session = system.db.selectFrom('sessions').select('lastUsedAt').where('accountId', '=', person.id);
  // A use is written where the last one is some time ago: then the headers have been judged.
  const before = new Date(now.getTime() - 120_000);
  await system.db
    .updateTable('sessions')
    .set({ lastUsedAt: before })
    .where('accountId', '=', person.id)
    .execute();
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = {
    cookie,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': body.length,
  };
  const form = request(adminUrl + path, { method: 'POST', headers });
  form.flushHeaders();
  await eventually('the session was read', async () => {
    const { lastUsedAt } = await session.executeTakeFirstOrThrow();
    return lastUsedAt.getTime() !== before.getTime() ? true : undefined;
  });
  await meanwhile();
  form.end(body);
  const [answer] = (await once(form, 'response')) as [IncomingMessage];
  answer.resume();
  return answer;
}

for (const [name, change] of [
  ['is ended', ({ id }: Person) => system.db.deleteFrom('sessions').where('accountId', '=', id).execute()],
  [
    'loses its role',
    ({ id }: Person) =>
      system.db.updateTable('accounts').set({ role: 'viewer' }).where('id', '=', id).execute(),
  ],
  ['goes on', async () => {}],
] as const)
  t.test(`a form that is held back while its session ${name}`, async (t) => {
    const person = await newPerson(system);
    const fields = { name: `Chave que ${name}`, role: 'viewer' };
    const answer = await heldBack(person, '/panel/keys', fields, () => change(person));
    const made = await system.db.selectFrom('keys').select('id').where('name', '=', fields.name).execute();
    if (name === 'goes on') return t.equal(made.length, 1);
    t.equal(answer.statusCode, 303);
    t.equal(answer.headers.location, '/panel/sign-in?done=not-sent');
    return t.equal(made.length, 0, 'no key is made');
  });

t.test('a passkey that was removed while it was judged opens no session', async (t) => {
  const { id } = await newPerson(system);
  const account = await findAccountWithSecrets(system.db, id);
  const times = { createdAt: now, expiresAt: new Date(now.getTime() + 60_000) };
  const begin = (passkeyId: string) => {
    const session = { id: newId(), hash: randomBytes(32), accountId: id, complete: true, ...times };
    const from = { address: '192.0.2.1', browser: null };
    return insertSession(system.db, { ...session, ...from }, { ...account!, passkeyId });
  };
  t.equal(await begin('gone'), false);
  const passkey = { id: 'here', accountId: id, publicKey: Buffer.from('key'), counter: 0, name: 'Chrome' };
  await system.db
    .insertInto('passkeys')
    .values({ ...passkey, createdAt: now })
    .execute();
  t.equal(await begin('here'), true);
});

const changes: [name: string, change: () => Promise<Record<string, unknown>>][] = [
  [
    'another password',
    async () => ({ password: await hashPassword('uma frase que ninguém mais sabe', 'x') }),
  ],
  ['a second factor', async () => ({ totpSecret: Buffer.from('sealed'), totpStep: 0 })],
  ['a deactivation', async () => ({ active: false })],
];
for (const [name, change] of changes) {
  t.test(`a sign-in that ${name} overtakes opens no session: those of before have ended`, async (t) => {
    const { email, id } = await newPerson(system);
    const to = await change();
    const thief = panelClient(adminUrl);
    const lock = await lockTable(system.env.DATABASE_URL!, 'sessions');
    const signIn = thief.signInAs(email, password);
    await untilWaiting(system.env.DATABASE_URL!, 1);
    await system.db.updateTable('accounts').set(to).where('id', '=', id).execute();
    await lock.end();
    const { status, text } = await signIn;
    t.equal(status, 401);
    t.match(text, 'E-mail ou senha incorretos.');
    t.notOk(thief.cookies.has('panel_session'));
    const opened = await system.db
      .selectFrom('sessions')
      .select('id')
      .where('accountId', '=', id)
      .where('browser', '=', 'node')
      .execute();
    t.equal(opened.length, 1, 'that of the invitation alone');
  });
}
