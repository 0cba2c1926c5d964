import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { panelClient, tokenIn } from '../../administration/panel-client.ts';
import { newPerson, password } from '../../administration/panel-people.ts';

/** Attacks on the panel's sign-in: guessed passwords, found e-mails, planted, kept and forged sessions. */
let now = new Date('2026-11-23T12:00:00Z');
const system = await startSystem({ dispatcher: false, now: () => now, env: { TRUST_PROXY: '127.0.0.1' } });
t.teardown(system.stop);
const { adminUrl, db } = system;
const from = (address: string) => panelClient(adminUrl, { 'x-forwarded-for': address });
const wrong = 'uma frase que não é a dela';

t.test('guesses from many addresses slow down unknown places, and nobody else', async (t) => {
  const home = '198.51.100.7';
  const ana = await newPerson(system, { role: 'owner' }, { 'x-forwarded-for': home });
  const statuses: number[] = [];
  for (let guess = 0; guess < 30; guess += 1)
    statuses.push((await from(`203.0.113.${guess}`).signInAs(ana.email, wrong)).status);
  t.strictSame(statuses.slice(0, 5), [401, 401, 401, 401, 401]);
  t.strictSame(new Set(statuses.slice(5)), new Set([429]));
  const right = await from('203.0.113.200').signInAs(ana.email, password);
  t.equal(right.status, 429, 'even the right password waits in an unknown place');
  t.equal(right.headers.get('retry-after'), '1');
  t.match(right.text, 'Muitas tentativas. Tente de novo em 1 segundo.');
  t.equal((await from(home).signInAs(ana.email, password)).status, 303, 'her address is known');
  await ana.post('/panel/sign-out');
  const elsewhere = from('192.0.2.99');
  elsewhere.cookies.set('panel_browser', ana.cookies.get('panel_browser') ?? '');
  t.equal((await elsewhere.signInAs(ana.email, password)).status, 303, 'and so is her browser, anywhere');
  now = new Date(now.getTime() + 1_000);
  t.equal((await from('203.0.113.201').signInAs(ana.email, password)).status, 303, 'a second later all may');
});

t.test('guesses at the same time do not all come first', async (t) => {
  const bia = await newPerson(system, { role: 'owner' }, { 'x-forwarded-for': '198.51.100.8' });
  const clients = Array.from({ length: 20 }, (_, index) => from(`203.0.113.${index}`));
  const answers = await Promise.all(clients.map((one) => one.signInAs(bia.email, wrong)));
  t.equal(answers.filter(({ status }) => status === 401).length, 5);
});

t.test('one address that tries many e-mails is slowed down', async (t) => {
  const statuses: number[] = [];
  for (let index = 0; index < 52; index += 1)
    statuses.push((await from('203.0.113.77').signInAs(`n${index}@loja.example`, wrong)).status);
  t.strictSame(statuses.slice(0, 50), Array(50).fill(401));
  t.strictSame(statuses.slice(50), [429, 429]);
});

/** All that tells of an account in the answer to a wrong password. */
async function told(email: string, address: string) {
  const { status, text, headers } = await from(address).signInAs(email, wrong);
  const names = [...headers.keys()].filter((name) => name !== 'x-request-id').sort();
  // The form keeps the e-mail that was typed.
  const same = text.replaceAll(/name="_csrf" value="[^"]+"/g, '').replaceAll(`value="${email}"`, '');
  return { status, names, text: same };
}

t.test('nothing tells whether an e-mail has an account', async (t) => {
  const caio = await newPerson(system, { role: 'owner' }, { 'x-forwarded-for': '198.51.100.9' });
  for (let guess = 0; guess < 8; guess += 1)
    t.strictSame(
      await told(caio.email, `198.18.0.${guess}`),
      await told('ninguem@loja.example', `198.18.1.${guess}`),
      `guess ${guess}`,
    );
});

t.test('an address whose tries are used up tells nothing of who signed in there before', async (t) => {
  const office = '198.51.100.12';
  const olga = await newPerson(system, { role: 'owner' }, { 'x-forwarded-for': office });
  await olga.post('/panel/sign-out');
  for (let index = 0; index < 50; index += 1) await from(office).signInAs(`o${index}@loja.example`, wrong);
  const unknown = await told('ninguem-daqui@loja.example', office);
  t.equal(unknown.status, 429);
  t.strictSame(await told(olga.email, office), unknown);
  t.equal((await olga.signInAs(olga.email, password)).status, 303, 'her own browser gets in');
});

t.test('an unknown e-mail costs as much as a wrong password', async (t) => {
  const davi = await newPerson(system, { role: 'owner' }, { 'x-forwarded-for': '198.51.100.10' });
  const times: Record<string, number[]> = { known: [], unknown: [] };
  for (let guess = 0; guess < 9; guess += 1) {
    for (const [kind, email] of [
      ['known', davi.email],
      ['unknown', `ninguem${guess}@loja.example`],
    ] as const) {
      const client = from(`198.18.2.${guess}`);
      const _csrf = tokenIn((await client.get('/panel/sign-in')).text);
      const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      // The processor's time, which no other process's load changes.
      const began = process.cpuUsage();
      await fetch(`${adminUrl}/panel/sign-in`, {
        method: 'POST',
        headers: { cookie, 'x-forwarded-for': `198.18.2.${guess}` },
        body: new URLSearchParams({ _csrf, email, password: wrong }),
      });
      const { user, system } = process.cpuUsage(began);
      times[kind]?.push((user + system) / 1_000);
      now = new Date(now.getTime() + 3_600_000);
    }
  }
  const median = (all: number[] = []) => [...all].sort((one, other) => one - other)[4] ?? 0;
  const [known, unknown] = [median(times.known), median(times.unknown)];
  t.ok(unknown > known / 2 && unknown < known * 2, `${known} ms and ${unknown} ms`);
});

t.test('the answer does not wait for the record', async (t) => {
  const bruno = await newPerson(system, { role: 'owner' }, { 'x-forwarded-for': '198.51.100.11' });
  await db.transaction().execute(async (trx) => {
    // Nobody else can write to a table that is being renamed.
    await trx.schema.alterTable('changes').renameTo('changes_away').execute();
    t.equal((await from('198.18.3.1').signInAs(bruno.email, wrong)).status, 401);
    await trx.schema.alterTable('changes_away').renameTo('changes').execute();
  });
  await eventually('the refusal to be recorded', async () => {
    const refused = db.selectFrom('changes').select('id').where('action', '=', 'sign_in_refused');
    return refused.where('subject', '=', bruno.id).executeTakeFirst();
  });
});

t.test('a planted session id is not the one after the sign-in', async (t) => {
  const eva = await newPerson(system);
  const planted = eva.cookies.get('panel_session') ?? '';
  const victim = panelClient(adminUrl);
  victim.cookies.set('panel_session', planted);
  await eva.post('/panel/sign-out');
  await victim.signInAs(eva.email, password);
  t.not(victim.cookies.get('panel_session'), planted);
  const attacker = panelClient(adminUrl);
  attacker.cookies.set('panel_session', planted);
  t.equal((await attacker.get('/panel')).status, 303);
});

t.test(
  'a cookie kept from before the sign-out opens nothing, and the database has no id to steal',
  async (t) => {
    const fabio = await newPerson(system);
    const kept = decodeURIComponent(fabio.cookies.get('panel_session') ?? '');
    const rows = JSON.stringify(await db.selectFrom('sessions').selectAll().execute());
    t.notOk(rows.includes(kept.split('.')[0] ?? kept));
    await fabio.post('/panel/sign-out');
    fabio.cookies.set('panel_session', encodeURIComponent(kept));
    t.equal((await fabio.get('/panel')).status, 303);
  },
);

t.test('a sign-in that another site posts is refused', async (t) => {
  const gil = await newPerson(system);
  const fields = { email: gil.email, password };
  const headers = { 'sec-fetch-site': 'cross-site' };
  for (const init of [
    { body: new URLSearchParams(fields) },
    { body: new URLSearchParams(fields), headers },
  ]) {
    const { status } = await fetch(`${adminUrl}/panel/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      ...init,
    });
    t.equal(status, 403);
  }
});
