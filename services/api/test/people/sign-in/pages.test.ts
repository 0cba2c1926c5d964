import { randomBytes, randomUUID } from 'node:crypto';
import { pauseOn } from '@payments/testing/pause';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { panelClient } from '../../administration/panel-client.ts';
import { newPerson, password } from '../../administration/panel-people.ts';

/** The panel's sign-in with an account, and its invitations. */
let now = new Date('2026-11-23T12:00:00Z');
const system = await startSystem({ dispatcher: false, now: () => now });
t.teardown(system.stop);
const { admin, adminUrl, db } = system;
const browser = () => panelClient(adminUrl);
const invite = async (name: string) => {
  const body = { name, email: `${name.replaceAll(' ', '').toLowerCase()}@loja.example`, role: 'owner' };
  const { invitationUrl, ...account } = (await admin('/admin/accounts', { body })).body;
  return { ...account, path: new URL(invitationUrl).pathname };
};
const isIn = async (one: ReturnType<typeof browser>) => (await one.get('/panel/stores')).status === 200;

t.test('before the first account the page asks for ADMIN_KEY, then for e-mail and password', async (t) => {
  t.match((await browser().get('/panel/sign-in')).text, 'Chave de administração');
  const ana = await newPerson(system);
  const { text } = await browser().get('/panel/sign-in');
  t.match(text, 'name="password"');
  t.match(text, 'Entrar com a chave de administração');
  t.ok(await isIn(ana), 'the invitation signs in');
  const other = browser();
  t.equal((await other.signInAs(ana.email.toUpperCase(), password)).headers.get('location'), '/panel');
  t.ok(await isIn(other));
  const [row] = await db.selectFrom('accounts').select('password').where('id', '=', ana.id).execute();
  t.match(row?.password, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

t.test(
  'whatever the way and the mistake, a sign-in leads where the person wanted, and keeps the e-mail',
  async (t) => {
    const [ana, one] = [await newPerson(system), browser()];
    const back = '/panel/payments?q=pedido';
    const query = `back=${encodeURIComponent(back)}`;
    const link = `&amp;${new URLSearchParams({ back })}`;
    t.match((await one.get(`/panel/sign-in/passkey?${query}`)).text, link);
    const form = `/panel/sign-in?${query}`;
    const wrong = await one.post('/panel/sign-in', { email: ana.email, password: 'errada', back }, form);
    t.equal(wrong.status, 401);
    t.match(wrong.text, `autocomplete="username"`);
    t.match(wrong.text, `value="${ana.email}"`);
    t.match(wrong.text, `name="back" value="${back}"`);
    const right = await one.post('/panel/sign-in', { email: ana.email, password, back }, form);
    t.equal(right.headers.get('location'), back);
  },
);

t.test('an invitation: its rules, once, and 72 hours', async (t) => {
  const { path, email } = await invite('Beatriz Souza');
  const one = browser();
  for (const [given, message] of [
    ['onze letras', 'Use pelo menos 12 caracteres.'],
    [email, 'A senha não pode ser o seu nome nem o seu e-mail.'],
    ['beatrizsouza', 'A senha não pode ser o seu nome nem o seu e-mail.'],
    ['x'.repeat(201), 'Use no máximo 200 caracteres.'],
  ] as const) {
    const answer = await one.post(path, { password: given }, path);
    t.equal(answer.status, 400);
    t.match(answer.text, message);
  }
  const kept = browser();
  const both = await Promise.all([one, kept].map((each) => each.post(path, { password }, path)));
  t.strictSame(both.map(({ status }) => status).sort(), [303, 404], 'also at the same time');
  t.match((await browser().get(path)).text, 'Este convite não vale mais.');
  const late = await invite('caio');
  now = new Date(now.getTime() + 72 * 3_600_000);
  t.equal((await browser().get(late.path)).status, 404);
  const again = (await admin(`/admin/accounts/${late.id}/invitation`, { body: {} })).body.invitationUrl;
  const newest = (await admin(`/admin/accounts/${late.id}/invitation`, { method: 'POST' })).body
    .invitationUrl;
  t.equal((await browser().get(new URL(again).pathname)).status, 404, 'only the newest works');
  t.equal((await browser().get(new URL(newest).pathname)).status, 200);
  await admin(`/admin/accounts/${late.id}`, { method: 'PATCH', body: { active: false } });
  t.equal((await browser().get(new URL(newest).pathname)).status, 404, 'and none of an inactive account');
});

t.test('a link signs nobody in whose account is another one by then', async (t) => {
  const { path, id } = await invite('enzo');
  const one = browser();
  // A new session first removes those that are over.
  const over = { id: randomUUID(), hash: randomBytes(32), accountId: null, complete: true };
  const from = { address: '192.0.2.1', browser: null };
  const times = { createdAt: now, expiresAt: now, lastUsedAt: now, provedAt: now };
  await db
    .insertInto('sessions')
    .values({ ...over, ...from, ...times })
    .execute();
  const pause = await pauseOn(system.env.DATABASE_URL!, 'after delete on sessions', `old.id = '${over.id}'`);
  const accepted = one.post(path, { password }, path);
  await pause.reached();
  await db.updateTable('accounts').set({ password: 'another' }).where('id', '=', id).execute();
  await pause.end();
  t.equal((await accepted).headers.get('location'), '/panel/sign-in?done=password-set');
  t.notOk(one.cookies.has('panel_session'));
});

t.test('a new invitation sets another password and ends every session', async (t) => {
  const dora = await newPerson(system);
  const { body } = await admin(`/admin/accounts/${dora.id}/invitation`, { body: {} });
  t.ok(await isIn(dora), 'not before it is used');
  const path = new URL(body.invitationUrl).pathname;
  const fresh = browser();
  await fresh.post(path, { password: 'outra frase comprida' }, path);
  t.notOk(await isIn(dora));
  t.ok(await isIn(fresh));
  t.equal((await browser().signInAs(dora.email, password)).status, 401);
});

t.test('the record says who it was, without e-mail or password', async (t) => {
  const eva = await newPerson(system);
  await eva.post('/panel/stores', { name: 'Loja da Eva' });
  await browser().signInAs(eva.email, 'senha errada aqui');
  await eventually('the refusal to be on record', async () => {
    const [newest] = (await admin('/admin/changes?limit=1')).body.items;
    return newest.action === 'sign_in_refused' || undefined;
  });
  await eva.post('/panel/sign-out');
  await browser().signIn();
  const { items } = (await admin('/admin/changes?limit=20')).body;
  const told = items.map(({ action, author, authorId }: Record<string, string>) => [
    action,
    author,
    authorId,
  ]);
  const name = (await admin('/admin/accounts')).body.items.at(-1).name;
  t.strictSame(told.slice(0, 6), [
    ['admin_key.used', 'ADMIN_KEY', null],
    ['sign_out', name, eva.id],
    ['sign_in_refused', null, null],
    ['store.created', name, eva.id],
    ['sign_in', name, eva.id],
    ['account.password_set', name, eva.id],
  ]);
  t.match(items[2], { subject: eva.id, to: { cause: 'password' } });
  t.notMatch(JSON.stringify(items), new RegExp(`${eva.email}|senha errada`));
  const administrator = browser();
  await administrator.signIn();
  const { text } = await administrator.get('/panel/changes');
  const refused = text.slice(text.indexOf('Entrada recusada'), text.indexOf('senha incorreta'));
  t.match(refused, 'Não identificado');
  t.match(refused, `nome: ${name}`);
});

t.test(
  'deactivated or with another role, a session ends with the next request, on every replica',
  async (t) => {
    const { startApi } = await import('../../../src/api.ts');
    const { apiSettings } = await import('../../../src/settings.ts');
    const { readEnvironment } = await import('@payments/runtime/environment');
    const { createLogger } = await import('@payments/runtime/logging');
    const settings = readEnvironment(apiSettings, { ...system.env, PORT: '0' });
    const replica = await startApi(settings, createLogger('api', 'silent'), { now: () => now });
    t.teardown(replica.close);
    for (const change of [{ active: false }, { role: 'viewer' }]) {
      const person = await newPerson(system);
      const there = panelClient(`http://127.0.0.1:${replica.adminPort}`);
      for (const [name, value] of person.cookies) there.cookies.set(name, value);
      t.ok(await isIn(there), 'the other replica knows the session');
      await admin(`/admin/accounts/${person.id}`, { method: 'PATCH', body: change });
      t.notOk(await isIn(there));
      t.notOk(await isIn(person));
      await admin(`/admin/accounts/${person.id}`, { method: 'PATCH', body: { active: true, role: 'owner' } });
      t.notOk(await isIn(person), 'and stays ended');
      const signedIn = await browser().signInAs(person.email, password);
      t.equal(signedIn.status, 303);
    }
  },
);

t.test('the new role holds for a new session; a page that names no operation is for owners', async (t) => {
  const viewer = await newPerson(system, { role: 'viewer' });
  for (const path of ['/panel/accounts', '/panel/keys']) t.not((await viewer.get(path)).status, 200, path);
});
