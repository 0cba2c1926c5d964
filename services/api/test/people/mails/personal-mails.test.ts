import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { panelClient } from '../../administration/panel-client.ts';
import { newPerson, password } from '../../administration/panel-people.ts';
import { openFactors } from '../second-factor/factors.ts';
import { linkIn, openMailed } from './mailed-system.ts';

/** Mails to the person concerned, through the dispatcher and a real mail server. */
const { mailTo, subjectsTo, system } = await openMailed(t);
const { admin } = system;
const store = await system.createStore({ name: 'Café do Mercado' });

t.test('an invitation comes by mail, works once, and the API shows it all the same', async (t) => {
  const body = { name: 'Íris <Souza>', email: 'iris@loja.example', role: 'viewer' };
  const made = await admin('/admin/accounts', { body });
  t.match(made, { status: 201, body: { invitationUrl: String } });
  const invitation = await mailTo(body.email, 'Seu convite');
  t.equal(invitation.text.includes(made.body.invitationUrl), true, 'the same link');
  t.match(invitation.text, 'Olá, Íris <Souza>.');
  const path = linkIn(invitation);
  const browser = panelClient(system.adminUrl);
  t.equal((await browser.post(path, { password }, path)).status, 303);
  t.equal((await browser.get('/panel/my-account')).status, 200, 'signed in');
  t.equal((await panelClient(system.adminUrl).get(path)).status, 404, 'used up');

  const again = await admin(`/admin/accounts/${made.body.id}/invitation`, { body: {} });
  const reset = await mailTo(body.email, 'Defina uma nova senha');
  t.ok(reset.text.includes(again.body.invitationUrl), 'who has had a password gets another kind');
  t.match(reset.text, 'o segundo fator e as chaves de acesso são removidos');
  await eventually('the mail to be on record', async () => {
    const { items } = (await admin('/admin/notices?kind=password_reset&state=sent')).body;
    return items.some(({ to }: { to: string }) => to === body.email) || undefined;
  });
});

t.test('no link stands in the database, nor in what the administration lists', async (t) => {
  const body = { name: 'Oto', email: 'oto@loja.example', role: 'viewer' };
  const sealed = await startSystem({ dispatcher: false, env: { SECRETS_KEY: 'k'.repeat(32) } });
  t.teardown(sealed.stop);
  const made = await sealed.admin('/admin/accounts', { body });
  const token = new URL(made.body.invitationUrl).pathname.split('/').at(-1)!;
  const rows = await sealed.db.selectFrom('mails').selectAll().execute();
  t.match(rows, [{ kind: 'invitation', recipient: body.email, link: /^sealed:/ }]);
  t.notOk(JSON.stringify(rows).includes(token));
  t.notOk(JSON.stringify((await sealed.admin('/admin/notices')).body).includes(token));
  const left = await system.db.selectFrom('mails').select('link').where('state', '=', 'sent').execute();
  t.same(new Set(left.map(({ link }) => link)), new Set([null]), 'nor any once it has left');
});

t.test('another role and another state are told; a name and a choice are not', async (t) => {
  const person = await newPerson(system, { role: 'viewer' });
  const change = (body: object) => admin(`/admin/accounts/${person.id}`, { method: 'PATCH', body });
  await change({ name: 'Outra', notices: ['bank_failing'] });
  await change({ role: 'store_viewer', storeId: store.id });
  const role = await mailTo(person.email, 'O seu perfil');
  t.match(role.text, '“Loja: leitura”, na loja Café do Mercado');
  t.match(role.text, 'A mudança foi feita por quem administra o painel.');
  t.notMatch(role.text, 'Endereço', 'another person’s address is nobody’s business');
  await change({ active: false });
  await mailTo(person.email, 'desativada');
  await change({ active: true });
  await mailTo(person.email, 'foi ativada');
  t.same(subjectsTo(person.email).length, 4, 'the invitation and three changes');
});

t.test('the own password, a new place, a key and a token', async (t) => {
  const owner = await newPerson(system, { role: 'owner' }, { 'x-forwarded-for': '203.0.113.7' });
  const page = '/panel/my-account';
  const other = 'outra frase bem comprida';
  const changed = await owner.post(`${page}/password`, { current: password, password: other }, page);
  t.equal(changed.status, 303);
  t.match((await mailTo(owner.email, 'A senha da sua conta mudou')).text, 'Endereço 203.0.113.7');

  const known = await owner.post('/panel/sign-out', {}, page);
  t.equal(known.status, 303);
  await owner.signInAs(owner.email, other);
  const firefox = 'Mozilla/5.0 (Windows NT 10.0; rv:130.0) Gecko/20100101 Firefox/130.0';
  const away = { 'x-forwarded-for': '198.51.100.9', 'user-agent': firefox };
  await panelClient(system.adminUrl, away).signInAs(owner.email, other);
  const place = await mailTo(owner.email, 'Nova entrada');
  t.match(place.text, 'Firefox, Windows\n  Endereço 198.51.100.9');
  await panelClient(system.adminUrl, away).signInAs(owner.email, other);
  await owner.signInAs(owner.email, other);

  const key = { name: 'ERP <loja>', role: 'viewer', storeId: '', expiresAt: '' };
  t.equal((await owner.post('/panel/keys', key, '/panel/keys')).status, 200);
  t.match((await mailTo(owner.email, 'Uma chave de API')).text, 'A chave “ERP <loja>”');
  const storePage = `/panel/stores/${store.id}/store`;
  t.equal((await owner.post(`/panel/stores/${store.id}/tokens`, {}, storePage)).status, 200);
  t.match((await mailTo(owner.email, 'Um token de loja')).text, 'da loja Café do Mercado');
  t.equal(
    subjectsTo(owner.email).filter((one) => /Nova entrada/.test(one)).length,
    1,
    'a known place is none',
  );
});

t.test('factors, in the transaction of their change', async (t) => {
  const factors = await openFactors(t);
  const person = await newPerson(factors.system, { role: 'viewer' });
  await factors.enrol(person);
  const page = '/panel/my-account';
  await person.post(`${page}/second-factor/off`, { current: password }, page);
  const rows = await factors.system.db
    .selectFrom('mails')
    .select(['kind', 'facts'])
    .where('accountId', '=', person.id)
    .orderBy('id')
    .execute();
  t.match(
    rows.map(({ kind, facts }) => (facts as { change?: string }).change ?? kind),
    ['invitation', 'second_factor_on', 'second_factor_off'],
  );
});

t.test('an invitation that takes the factors away says so, in mails and on record', async (t) => {
  const factors = await openFactors(t);
  const { system, enrol } = factors;
  const person = await newPerson(system, { role: 'viewer' });
  await enrol(person);
  await system.db
    .insertInto('passkeys')
    .values({
      id: 'a',
      accountId: person.id,
      publicKey: Buffer.from('key'),
      counter: 0,
      name: 'Chrome',
      createdAt: factors.now(),
    })
    .execute();
  const { body } = await system.admin(`/admin/accounts/${person.id}/invitation`, { body: {} });
  const path = new URL(body.invitationUrl).pathname;
  await panelClient(system.adminUrl).post(path, { password: 'a minha nova frase' }, path);
  const rows = await system.db
    .selectFrom('mails')
    .select(['kind', 'facts'])
    .where('accountId', '=', person.id)
    .orderBy('id')
    .execute();
  const told = rows.map(({ kind, facts }) => (facts as { change?: string }).change ?? kind);
  t.same(told.slice(-4), ['password_reset', 'password', 'second_factor_off', 'passkey_removed']);
  const { items } = (await system.admin(`/admin/changes?subject=${person.id}`)).body;
  const done = items.map(({ action }: { action: string }) => action);
  for (const action of ['account.password_set', 'account.second_factor_off', 'account.passkey_removed'])
    t.ok(done.includes(action), action);
});
