import { mailLinkOwner } from '@payments/database/notices/notices';
import { secretBox } from '@payments/database/secret-box';
import { type MailServer, type ReceivedMail, startMailServer } from '@payments/testing/mail-server';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { panelClient } from '../../administration/panel-client.ts';
import { newPerson, password } from '../../administration/panel-people.ts';
import { openFactors } from '../second-factor/factors.ts';

/** Mails to the person concerned, through the dispatcher and a real mail server. */

const mail = await startMailServer();
t.teardown(() => mail.close());
const adminUrl = 'https://painel.pix.example';
const env = {
  SMTP_URL: mail.url,
  MAIL_FROM: 'Painel <painel@pix.example>',
  ADMIN_URL: adminUrl,
  TRUST_PROXY: '127.0.0.1',
};
const system = await startSystem({ env });
t.teardown(system.stop);
const { admin } = system;
const store = await system.createStore({ name: 'Café do Mercado' });

const linkIn = ({ text }: { text: string }) =>
  new RegExp(`${adminUrl}(/panel/invitation/[\\w-]{43})`).exec(text)?.[1];

/** The mail to a person whose subject has this, past or future. */
const mailTo = (server: MailServer, to: string, subject: string | RegExp) =>
  server.waitFor((one) => one.to === to && one.subject.match(subject) !== null);

const subjectsTo = (to: string) => mail.received.filter((one) => one.to === to).map(({ subject }) => subject);

t.test('an invitation comes by mail, works once, and the API shows it all the same', async (t) => {
  const body = { name: 'Íris <Souza>', email: 'iris@loja.example', role: 'viewer' };
  const made = await admin('/admin/accounts', { body });
  t.match(made, { status: 201, body: { invitationUrl: String } });
  const invitation = await mailTo(mail, body.email, 'Seu convite');
  t.equal(invitation.text.includes(made.body.invitationUrl), true, 'the same link');
  t.match(invitation.text, 'Olá, Íris <Souza>.');
  const path = linkIn(invitation) ?? '';
  const browser = panelClient(system.adminUrl);
  t.equal((await browser.post(path, { password }, path)).status, 303);
  t.equal((await browser.get('/panel/my-account')).status, 200, 'signed in');
  t.equal((await panelClient(system.adminUrl).get(path)).status, 404, 'used up');

  const again = await admin(`/admin/accounts/${made.body.id}/invitation`, { body: {} });
  const reset = await mailTo(mail, body.email, 'Defina uma nova senha');
  t.ok(reset.text.includes(again.body.invitationUrl), 'who has had a password gets another kind');
  t.match(reset.text, 'o segundo fator e as chaves de acesso são removidos');
  await eventually(0, 'the mail to be on record', async () => {
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
  const role = await mailTo(mail, person.email, 'O seu perfil');
  t.match(role.text, '“Loja: leitura”, na loja Café do Mercado');
  t.match(role.text, 'A mudança foi feita por quem administra o painel.');
  t.notMatch(role.text, 'Endereço', 'another person’s address is nobody’s business');
  await change({ active: false });
  await mailTo(mail, person.email, 'desativada');
  await change({ active: true });
  await mailTo(mail, person.email, 'foi ativada');
  t.same(subjectsTo(person.email).length, 4, 'the invitation and three changes');
});

t.test('the own password, a new place, a key and a token', async (t) => {
  const owner = await newPerson(system, { role: 'owner' }, { 'x-forwarded-for': '203.0.113.7' });
  const page = '/panel/my-account';
  const other = 'outra frase bem comprida';
  const changed = await owner.post(`${page}/password`, { current: password, password: other }, page);
  t.equal(changed.status, 303);
  t.match((await mailTo(mail, owner.email, 'A senha da sua conta mudou')).text, 'Endereço 203.0.113.7');

  const known = await owner.post('/panel/sign-out', {}, page);
  t.equal(known.status, 303);
  await owner.signInAs(owner.email, other);
  const firefox = 'Mozilla/5.0 (Windows NT 10.0; rv:130.0) Gecko/20100101 Firefox/130.0';
  const away = { 'x-forwarded-for': '198.51.100.9', 'user-agent': firefox };
  await panelClient(system.adminUrl, away).signInAs(owner.email, other);
  const place = await mailTo(mail, owner.email, 'Nova entrada');
  t.match(place.text, 'Firefox, Windows\n  Endereço 198.51.100.9');
  await panelClient(system.adminUrl, away).signInAs(owner.email, other);
  await owner.signInAs(owner.email, other);

  const key = { name: 'ERP <loja>', role: 'viewer', storeId: '', expiresAt: '' };
  t.equal((await owner.post('/panel/keys', key, '/panel/keys')).status, 200);
  t.match((await mailTo(mail, owner.email, 'Uma chave de API')).text, 'a chave “ERP <loja>”');
  const storePage = `/panel/stores/${store.id}/store`;
  t.equal((await owner.post(`/panel/stores/${store.id}/tokens`, {}, storePage)).status, 200);
  t.match((await mailTo(mail, owner.email, 'Um token de loja')).text, 'da loja Café do Mercado');
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

const asked = (one: ReceivedMail) => /Defina uma nova senha|Seu convite/.test(one.subject);
const forgotten = '/panel/forgotten-password';
const ask = (email: string, address: string) =>
  panelClient(system.adminUrl, { 'x-forwarded-for': address }).post(forgotten, { email }, forgotten);

t.test('who forgot the password gets a link, once; nobody else learns anything', async (t) => {
  const signIn = await panelClient(system.adminUrl).get('/panel/sign-in?with=password');
  t.match(signIn.text, 'href="/panel/forgotten-password"');
  const person = await newPerson(system, { role: 'viewer' });
  const known = await ask(person.email.toUpperCase(), '203.0.113.20');
  const unknown = await ask('ninguem@loja.example', '203.0.113.21');
  t.equal(known.status, 200);
  t.equal(unknown.status, 200);
  t.equal(known.text, unknown.text);

  const letter = await mailTo(mail, person.email, 'Defina uma nova senha');
  t.match(letter.text, 'o segundo fator continua valendo');
  const path = linkIn(letter) ?? '';
  const browser = panelClient(system.adminUrl);
  const other = 'mais uma frase comprida';
  t.equal(
    (await browser.post(path, { password: other }, path)).headers.get('location'),
    '/panel/my-account?done=password-set',
  );
  t.equal((await person.get('/panel/my-account')).status, 303, 'other sessions have ended');
  t.equal((await panelClient(system.adminUrl).get(path)).status, 404);
  await mailTo(mail, person.email, 'A senha da sua conta mudou');
  t.equal(
    (await panelClient(system.adminUrl).signInAs(person.email, other)).headers.get('location'),
    '/panel',
  );
  t.notOk(mail.received.some(({ to }) => to === 'ninguem@loja.example'));
  const { items } = (await admin('/admin/changes?limit=20')).body;
  t.match(
    items.find(({ action }: { action: string }) => action === 'account.reset_asked'),
    { author: null, address: '203.0.113.20' },
  );
});

t.test('what a link must not do', async (t) => {
  const invited = (
    await admin('/admin/accounts', { body: { name: 'Ugo', email: 'ugo@loja.example', role: 'viewer' } })
  ).body;
  await ask(invited.email, '203.0.113.30');
  await mail.waitFor(
    (one) => one.to === invited.email && asked(one) && !one.text.includes(invited.invitationUrl),
  );
  const path = new URL(invited.invitationUrl).pathname;
  t.equal((await panelClient(system.adminUrl).get(path)).status, 200, 'the invitation goes on working');

  const gone = await newPerson(system, { role: 'viewer' });
  await ask(gone.email, '203.0.113.31');
  const link = linkIn(await mailTo(mail, gone.email, 'Defina uma nova senha')) ?? '';
  await admin(`/admin/accounts/${gone.id}`, { method: 'PATCH', body: { active: false } });
  t.equal((await panelClient(system.adminUrl).get(link)).status, 404, 'an inactive account has no door');
  await ask(gone.email, '203.0.113.32');
  await mailTo(mail, gone.email, 'desativada');
  t.equal(mail.received.filter((one) => one.to === gone.email && /nova senha/.test(one.subject)).length, 1);
});

t.test('a forgotten password opens no second factor', async (t) => {
  const factors = await openFactors(t);
  const person = await newPerson(factors.system, { role: 'viewer' });
  const { secret } = await factors.enrol(person);
  const browser = panelClient(factors.system.adminUrl);
  t.equal((await browser.post(forgotten, { email: person.email }, forgotten)).status, 200);
  const link = await linkOf(factors.system, person.id);
  const path = new URL(link).pathname;
  const set = await browser.post(path, { password: 'mais uma frase comprida' }, path);
  t.equal(set.headers.get('location'), '/panel/sign-in?done=password-set');
  t.match((await browser.get('/panel/sign-in?done=password-set')).text, 'Senha definida.');
  t.equal((await browser.get('/panel/my-account')).status, 303, 'not signed in');
  await browser.signInAs(person.email, 'mais uma frase comprida');
  factors.later(60);
  const step = '/panel/sign-in/second-factor';
  t.equal(
    (await browser.post(step, { code: factors.codeOf(secret) }, step)).headers.get('location'),
    '/panel',
  );
});

t.test('requests are bounded, for each e-mail and each address', async (t) => {
  const quiet = await startSystem({
    dispatcher: false,
    env: { TRUST_PROXY: '127.0.0.1' },
    now: () => new Date('2026-11-23T12:00:00Z'),
  });
  t.teardown(quiet.stop);
  const person = await newPerson(quiet, { role: 'viewer' });
  const from = (address: string) => panelClient(quiet.adminUrl, { 'x-forwarded-for': address });
  const statuses = async (email: string, addresses: string[]) => {
    const all: number[] = [];
    for (const address of addresses)
      all.push((await from(address).post(forgotten, { email }, forgotten)).status);
    return all;
  };
  const places = Array.from({ length: 5 }, (_, index) => `203.0.113.${index + 1}`);
  t.same(await statuses(person.email, places), [200, 200, 200, 429, 429], 'one e-mail, from wherever');
  t.same(
    await statuses('ninguem@loja.example', places),
    [200, 200, 200, 429, 429],
    'the same for one that nobody has',
  );
  const refused = await from('203.0.113.9').post(forgotten, { email: person.email }, forgotten);
  t.ok(Number(refused.headers.get('retry-after')) > 0);
  t.match(refused.text, 'Muitas tentativas.');

  const flood = from('198.51.100.7');
  let last = 200;
  for (let count = 0; count < 30 && last === 200; count += 1)
    last = (await flood.post(forgotten, { email: `p${count}@loja.example` }, forgotten)).status;
  t.equal(last, 429, 'one address, for whomever');
  t.equal(
    (await from('198.51.100.8').post(forgotten, { email: 'novo@loja.example' }, forgotten)).status,
    200,
  );
  t.equal((await from('198.51.100.9').post(forgotten, { email: 'sem arroba' }, forgotten)).status, 400);
});

/** The link of a mail that waits in the database. */
async function linkOf({ db, env }: typeof system, accountId: string) {
  for (;;) {
    const rows = await db
      .selectFrom('mails')
      .select(['id', 'link'])
      .where('accountId', '=', accountId)
      .where('kind', '=', 'password_reset')
      .execute();
    const [mail] = rows;
    if (mail?.link) return secretBox({ current: env.SECRETS_KEY }).open(mail.link, mailLinkOwner(mail.id));
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
