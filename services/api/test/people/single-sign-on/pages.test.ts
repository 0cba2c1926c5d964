import { findAccountWithSecrets, hasOwnerWithFactor } from '@payments/database/accounts/accounts';
import { freePort } from '@payments/local-servers/free-port';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { followGroups } from '../../../src/people/single-sign-on/actions.ts';
import { type PanelClient, panelClient } from '../../administration/panel-client.ts';
import { newPerson, password } from '../../administration/panel-people.ts';
import { clientId, clientSecret, startIssuer } from './oidc-issuer.ts';

/** The panel's single sign-on, against a real OpenID Connect provider. */
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const issuer = await startIssuer(`${url}/panel/sign-in/sso/callback`);
const system = await startSystem({
  dispatcher: false,
  env: {
    ADMIN_PORT: String(port),
    ADMIN_URL: url,
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    REQUIRE_SECOND_FACTOR: 'platform',
    OIDC_ROLES: 'financeiro=finance,diretoria=owner',
  },
});
t.teardown(async () => {
  await system.stop();
  issuer.close();
});
const { admin } = system;

/** Goes to the issuer and signs in there. @returns the path of our own that it leads back to */
async function throughIssuer(person: PanelClient, path = '/panel/sign-in/sso'): Promise<string> {
  let next = (await person.get(path)).headers.get('location') ?? '';
  const there = panelClient(issuer.url);
  while (next !== '' && !next.startsWith(`${url}/panel`))
    next = (await there.get(next.replace(issuer.url, ''))).headers.get('location') ?? '';
  return next.replace(url, '');
}

async function signOn(sub: string, claims: Record<string, unknown>, path?: string) {
  issuer.person = { sub, ...claims };
  const person = panelClient(url);
  const answer = await person.get(await throughIssuer(person, path));
  return { person, answer };
}
const accountOf = async (email: string) =>
  (await admin('/admin/accounts')).body.items.find((one: { email: string }) => one.email === email);

t.test(
  'a group’s role makes an account, which the next sign-on finds, whatever its e-mail is then',
  async (t) => {
    const { text } = await panelClient(url).get('/panel/sign-in?with=password');
    t.match(text, 'Entrar com 127.0.0.1');
    const ana = {
      name: 'Ana',
      email: 'ana@empresa.example',
      email_verified: true,
      groups: ['x', 'financeiro'],
    };
    const first = await signOn('sub-ana', ana, '/panel/sign-in/sso?back=/panel/payments');
    t.equal(first.answer.headers.get('location'), '/panel/payments');
    t.equal((await first.person.get('/panel/my-account')).status, 200);
    const account = await accountOf('ana@empresa.example');
    t.match(account, { name: 'Ana', role: 'finance', storeId: null, active: true });
    const again = await signOn('sub-ana', {
      email: 'outra@empresa.example',
      email_verified: true,
      groups: ['financeiro'],
    });
    t.equal(again.answer.headers.get('location'), '/panel');
    t.match((await again.person.get('/panel/my-account')).text, 'ana@empresa.example');
    const { items } = (await admin('/admin/changes?limit=5')).body;
    t.match(items[0], { action: 'sign_in', author: 'Ana', authorId: account.id });
    await admin(`/admin/accounts/${account.id}`, { method: 'PATCH', body: { active: false } });
    const refused = await signOn('sub-ana', ana);
    t.equal(refused.answer.status, 403);
    t.match(refused.answer.text, 'Esta conta está desativada.');
  },
);

t.test('an invited account is found by its verified e-mail, and by that alone', async (t) => {
  const body = { name: 'Bia', email: 'bia@empresa.example', role: 'viewer' };
  const { invitationUrl } = (await admin('/admin/accounts', { body })).body;
  const unverified = await signOn('sub-mallory', { email: 'BIA@empresa.example', email_verified: false });
  t.equal(unverified.answer.status, 403);
  const { answer, person } = await signOn('sub-bia', { email: 'BIA@empresa.example', email_verified: true });
  t.equal(answer.status, 303);
  t.match((await person.get('/panel/my-account')).text, 'Leitura');
  t.equal(
    (await panelClient(url).get(new URL(invitationUrl).pathname)).status,
    404,
    'the invitation is used up',
  );
  const other = await signOn('sub-other', { email: 'bia@empresa.example', email_verified: true });
  t.equal(other.answer.status, 403, 'and another person with its e-mail is another person');
});

t.test('a long e-mail is nobody else’s, whose address is its beginning', async (t) => {
  const domain = `${'d'.repeat(60)}.example`;
  const email = `${'l'.repeat(100 - domain.length - 1)}@${domain}`;
  await admin('/admin/accounts', { body: { name: 'Lia', email, role: 'viewer' } });
  const longer = { email: `${email}.attacker.example`, email_verified: true };
  const { answer } = await signOn('sub-longer', longer);
  t.equal(answer.status, 403, 'it is not the invited one');
  await signOn('sub-longer', { ...longer, groups: ['financeiro'] });
  t.match(await accountOf(longer.email), { role: 'finance' }, 'and is kept whole');
  for (const odd of [`${'x'.repeat(250)}@a.example`, 'ode\0te@empresa.example'])
    t.equal(
      (await signOn('sub-odd', { email: odd, email_verified: true, groups: ['financeiro'] })).answer.status,
      403,
    );
});

t.test('an account with a password is never taken over by an e-mail', async (t) => {
  const caio = await newPerson(system);
  const claims = { email: caio.email, email_verified: true, groups: ['diretoria'] };
  t.equal((await signOn('sub-caio', claims)).answer.status, 403);
});

t.test('without a group there is no account', async (t) => {
  for (const groups of [undefined, [], ['store_admin'], 'Financeiro', [null]]) {
    const claims = { email: 'davi@empresa.example', email_verified: true, ...(groups && { groups }) };
    const { answer } = await signOn('sub-davi', claims);
    t.equal(answer.status, 403);
    t.match(answer.text, 'Você não tem uma conta aqui.');
  }
  t.equal(await accountOf('davi@empresa.example'), undefined);
});

t.test('a role from groups follows them at each sign-on', async (t) => {
  const claims = { name: 'Gui', email: 'gui@empresa.example', email_verified: true };
  const withGroups = (...groups: string[]) => signOn('sub-gui', { ...claims, groups });
  const isIn = async ({ person }: Awaited<ReturnType<typeof signOn>>) =>
    (await person.get('/panel/my-account')).status === 200;
  const first = await withGroups('financeiro');
  const { id } = await accountOf(claims.email);
  const raised = await withGroups('diretoria', 'financeiro');
  t.match(await accountOf(claims.email), { id, role: 'owner' });
  t.notOk(await isIn(first), 'another role ends the sessions before');
  t.ok(await isIn(raised));
  const lowered = await withGroups('financeiro');
  t.match(await accountOf(claims.email), { id, role: 'finance' });
  t.notOk(await isIn(raised));
  const { items } = (await admin('/admin/changes?limit=20')).body;
  const change = items.find((one: { action: string }) => one.action === 'account.changed');
  t.match(change, { subject: id, authorId: null, from: { role: 'owner' }, to: { role: 'finance' } });
  t.match(change.author, /^127\.0\.0\.1:/, 'the issuer decided');
  const same = await withGroups('financeiro');
  t.ok(await isIn(lowered), 'the same role ends nothing');
  for (const groups of [[], ['x'], undefined]) {
    const { answer } = await signOn('sub-gui', { ...claims, ...(groups && { groups }) });
    t.equal(answer.status, 403);
    t.match(answer.text, 'Nenhum grupo seu dá mais acesso a este painel.');
  }
  t.notOk(await isIn(lowered));
  t.notOk(await isIn(same));
  t.match(await accountOf(claims.email), { active: true });
  t.ok(await isIn(await withGroups('financeiro')), 'a group opens it again');
});

t.test('a role that a person gave stays, whatever the groups say', async (t) => {
  const claims = { name: 'Iara', email: 'iara@empresa.example', email_verified: true };
  await signOn('sub-iara', { ...claims, groups: ['financeiro'] });
  const { id } = await accountOf(claims.email);
  await admin(`/admin/accounts/${id}`, { method: 'PATCH', body: { role: 'viewer' } });
  for (const groups of [['diretoria'], []]) {
    t.equal((await signOn('sub-iara', { ...claims, groups })).answer.status, 303);
    t.match(await accountOf(claims.email), { role: 'viewer' });
  }
  const body = { name: 'Jota', email: 'jota@empresa.example', role: 'viewer' };
  await admin('/admin/accounts', { body });
  const invited = { email: body.email, email_verified: true, groups: ['diretoria'] };
  for (let time = 0; time < 2; time += 1) {
    t.equal((await signOn('sub-jota', invited)).answer.status, 303);
    t.match(await accountOf(body.email), { role: 'viewer' }, 'an invitation’s role is a person’s, too');
  }
});

t.test('a role that a person gives during a sign-on stays', async (t) => {
  const email = 'rui@empresa.example';
  await signOn('sub-rui', { name: 'Rui', email, email_verified: true, groups: ['financeiro'] });
  const { id } = await accountOf(email);
  const read = await findAccountWithSecrets(system.db, id);
  await admin(`/admin/accounts/${id}`, { method: 'PATCH', body: { role: 'viewer' } });
  const person = { issuer: issuer.url, subject: 'sub-rui', name: 'Rui', email, role: 'owner' as const };
  const by = {
    id,
    name: 'Rui',
    via: 'panel' as const,
    reason: null,
    address: null,
    browser: null,
    requestId: null,
  };
  const context = { db: system.db, now: () => new Date() };
  t.match(await followGroups(context, read!, person, by), { role: 'viewer' });
  t.match(await accountOf(email), { role: 'viewer' });
});

t.test('an invitation’s password is under the panel’s own rules, and its role a person’s', async (t) => {
  const claims = { name: 'Nara', email: 'nara@empresa.example', email_verified: true };
  const signedOn = await signOn('sub-nara', { ...claims, groups: ['diretoria'] });
  t.equal((await signedOn.person.get('/panel/payments')).status, 200, 'the issuer asks for the factor');
  t.ok(await hasOwnerWithFactor(system.db));
  const { id } = await accountOf(claims.email);
  await system.db.updateTable('accounts').set({ active: false }).where('id', '<>', id).execute();
  const { body } = await admin(`/admin/accounts/${id}/invitation`, { body: {} });
  const path = new URL(body.invitationUrl).pathname;
  t.equal((await panelClient(url).post(path, { password }, path)).status, 303);
  const byPassword = panelClient(url);
  await byPassword.signInAs(claims.email, password);
  const again = await signOn('sub-nara', { ...claims, groups: ['financeiro'] });
  for (const person of [byPassword, again.person])
    t.equal((await person.get('/panel/payments')).headers.get('location'), '/panel/my-account');
  t.match(await accountOf(claims.email), { role: 'owner' }, 'no group rules it any more');
  t.notOk(await hasOwnerWithFactor(system.db), 'and ADMIN_KEY still opens the panel');
});

t.test('a person of the single sign-on proves at the issuer who they are', async (t) => {
  const claims = { name: 'Lia', email: 'lia@empresa.example', email_verified: true, groups: ['diretoria'] };
  const { person } = await signOn('sub-lia', claims);
  const create = () => person.post('/panel/keys', { name: 'Robô', role: 'viewer' });
  t.match((await create()).text, /ppk_/, 'the sign-on is a proof');
  const old = () =>
    system.db
      .updateTable('sessions')
      .set({ provedAt: new Date('2026-01-01') })
      .execute();
  await old();
  const asked = await create();
  t.notMatch(asked.text, /ppk_/);
  t.match(asked.text, 'name="name" value="Robô"');
  const [, link = ''] = /href="([^"]+)" target="_blank"/.exec(asked.text) ?? [];
  t.match((await create()).text, 'Confirme que é você', 'not by asking again');

  const begun = new URL((await person.get(link)).headers.get('location') ?? '');
  t.match(Object.fromEntries(begun.searchParams), { prompt: 'login', max_age: '60' });
  issuer.person = { sub: 'sub-lia', ...claims };
  const answer = await person.get(await throughIssuer(person, link));
  t.equal(answer.status, 200);
  t.match(answer.text, 'Confirmado');
  t.match((await create()).text, /ppk_/);

  await old();
  issuer.person = { sub: 'sub-other', ...claims, email: 'outra-lia@empresa.example' };
  const other = await person.get(await throughIssuer(person, link));
  t.equal(other.status, 403);
  t.match(other.text, 'confirmou outra pessoa');
  t.equal(await accountOf('outra-lia@empresa.example'), undefined, 'a proof makes no account');
  t.notMatch((await create()).text, /ppk_/);

  issuer.person = { sub: 'sub-lia', ...claims };
  const path = await throughIssuer(person, link);
  const elsewhere = await signOn('sub-lia', claims);
  elsewhere.person.cookies.set('panel_sign_on', person.cookies.get('panel_sign_on') ?? '');
  t.equal((await elsewhere.person.get(path)).status, 403, 'another session than the one that asked');
  t.match((await panelClient(url).get(link)).headers.get('location'), '/panel/sign-in');
});

t.test('an issuer that does not say when the person signed in proves nothing', async (t) => {
  const claims = { name: 'Mel', email: 'mel@empresa.example', email_verified: true, groups: ['diretoria'] };
  const { person } = await signOn('sub-mel', claims);
  const { headers } = await person.get('/panel/sign-in/sso/prove');
  const asked = new URL(headers.get('location') ?? '');
  for (const name of ['prompt', 'max_age']) asked.searchParams.delete(name);
  const there = panelClient(issuer.url);
  let next = asked.href;
  while (!next.startsWith(`${url}/panel`))
    next = (await there.get(next.replace(issuer.url, ''))).headers.get('location') ?? '';
  const answer = await person.get(next.replace(url, ''));
  t.equal(answer.status, 401);
  t.match(answer.text, 'não confirmou quem você é');
});

t.test('an answer works once, in the browser that asked, and as the issuer gave it', async (t) => {
  issuer.person = {
    sub: 'sub-eva',
    email: 'eva@empresa.example',
    email_verified: true,
    groups: ['diretoria'],
  };
  const victim = panelClient(url);
  const attackers = await throughIssuer(panelClient(url));
  t.equal((await victim.get(attackers)).status, 403, 'a browser that asked for nothing');
  await victim.get('/panel/sign-in/sso');
  t.equal((await victim.get(attackers)).status, 401, 'another’s state');
  const changed = panelClient(url);
  const asGiven = await throughIssuer(changed);
  const kept = changed.cookies.get('panel_sign_on') ?? '';
  t.equal((await changed.get(asGiven.replace(/code=[^&]+/, 'code=forged'))).status, 401, 'a forged code');
  changed.cookies.set('panel_sign_on', kept);
  t.equal((await changed.get(asGiven)).status, 401, 'and none after it');
  const person = panelClient(url);
  const path = await throughIssuer(person);
  const cookie = person.cookies.get('panel_sign_on') ?? '';
  t.equal((await person.get(path)).status, 303);
  const replay = panelClient(url);
  replay.cookies.set('panel_sign_on', cookie);
  t.equal((await replay.get(path)).status, 401, 'a code that was used');
  const denied = panelClient(url);
  const asked = await denied.get('/panel/sign-in/sso?back=%2Fpanel%2Frefunds');
  const begun = new URL(asked.headers.get('location') ?? '');
  const state = begun.searchParams.get('state') ?? '';
  t.match(begun.searchParams.get('code_challenge_method'), 'S256');
  const answer = await denied.get(`/panel/sign-in/sso/callback?error=access_denied&state=${state}`);
  t.equal(answer.status, 401);
  t.match(answer.text, 'não confirmou quem você é');
  t.match(answer.text, 'name="back" value="/panel/refunds"');
});

t.test('an issuer that is away leaves the other ways to sign in', async (t) => {
  const person = panelClient(url);
  const path = await throughIssuer(person);
  issuer.isBroken = true;
  const { status, text } = await person.get(path);
  t.equal(status, 401);
  t.match(text, 'name="password"');
  issuer.isBroken = false;
});

t.test('another cookie of ours is no proof that a sign-on began', async (t) => {
  const stranger = panelClient(url);
  await stranger.get('/panel/sign-in');
  stranger.cookies.set('panel_sign_on', stranger.cookies.get('panel_csrf') ?? '');
  const { status } = await stranger.get('/panel/sign-in/sso/callback?code=x&state=y');
  t.equal(status, 403);
});
