import { mailLinkOwner } from '@payments/database/notices/notices';
import { secretBox } from '@payments/database/secret-box';
import type { ReceivedMail } from '@payments/testing/mail-server';
import { startSystem, type TestSystem } from '@payments/testing/system';
import t from 'tap';
import { panelClient } from '../../administration/panel-client.ts';
import { newPerson } from '../../administration/panel-people.ts';
import { linkIn, openMailed } from '../mails/mailed-system.ts';
import { openFactors } from '../second-factor/factors.ts';

/** “Esqueci minha senha”: a link by mail, for whoever has an account, and no word of who has one. */
const { mail, mailTo, system } = await openMailed(t);
const { admin } = system;

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

  const letter = await mailTo(person.email, 'Defina uma nova senha');
  t.match(letter.text, 'o segundo fator continua valendo');
  const path = linkIn(letter);
  const browser = panelClient(system.adminUrl);
  const other = 'mais uma frase comprida';
  t.equal(
    (await browser.post(path, { password: other }, path)).headers.get('location'),
    '/panel/my-account?done=password-set',
  );
  t.equal((await person.get('/panel/my-account')).status, 303, 'other sessions have ended');
  t.equal((await panelClient(system.adminUrl).get(path)).status, 404);
  await mailTo(person.email, 'A senha da sua conta mudou');
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
  const link = linkIn(await mailTo(gone.email, 'Defina uma nova senha'));
  await admin(`/admin/accounts/${gone.id}`, { method: 'PATCH', body: { active: false } });
  t.equal((await panelClient(system.adminUrl).get(link)).status, 404, 'an inactive account has no door');
  await ask(gone.email, '203.0.113.32');
  await mailTo(gone.email, 'desativada');
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
async function linkOf({ db, env }: TestSystem, accountId: string) {
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
