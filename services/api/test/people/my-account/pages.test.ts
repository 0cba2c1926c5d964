import { findAccountWithSecrets } from '@payments/database/accounts/accounts';
import { pauseOn, untilWaiting } from '@payments/testing/pause';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { browserName } from '../../../src/access/actor.ts';
import {
  addPasskey,
  changePassword,
  removePasskey,
  turnOffSecondFactor,
} from '../../../src/people/my-account/actions.ts';
import { panelClient } from '../../administration/panel-client.ts';
import { newPerson, password } from '../../administration/panel-people.ts';

/** “Minha conta”: the own password and sessions. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const { adminUrl, db } = system;
const databaseUrl = system.env.DATABASE_URL!;
const context = { db, now: () => new Date() };
const expired = { message: 'Este formulário expirou. Recarregue a página e tente de novo.' };
const page = '/panel/my-account';
const isIn = async (one: ReturnType<typeof panelClient>) => (await one.get('/panel/stores')).status === 200;
const sessionsOf = (accountId: string) =>
  db.selectFrom('sessions').select('id').where('accountId', '=', accountId).execute();
const byOf = (id: string) =>
  ({
    name: 'x',
    id,
    via: 'panel',
    reason: null,
    requestId: null,
    address: null,
    browser: null,
  }) as const;

t.test('another password needs the current one, and ends the other sessions', async (t) => {
  const ana = await newPerson(system);
  const other = panelClient(adminUrl);
  await other.signInAs(ana.email, password);
  const next = 'uma frase ainda melhor';
  const change = (current: string, given: string) =>
    ana.post(`${page}/password`, { current, password: given }, page);
  t.match((await change('não é esta senha', next)).text, 'Senha incorreta.');
  t.match((await change(password, 'curta')).text, 'Use pelo menos 12 caracteres.');
  t.ok(await isIn(other));
  const before = ana.cookies.get('panel_session');
  t.equal((await change(password, next)).status, 303);
  t.not(ana.cookies.get('panel_session'), before);
  t.ok(await isIn(ana));
  t.notOk(await isIn(other));
  t.equal((await panelClient(adminUrl).signInAs(ana.email, password)).status, 401);
  t.equal((await panelClient(adminUrl).signInAs(ana.email, next)).status, 303);
});

t.test('a change of the password undoes none that was made after the current one was typed', async (t) => {
  const { id } = await newPerson(system);
  const typed = (await findAccountWithSecrets(db, id))!;
  const [open] = await sessionsOf(id);
  const change = (password: string) =>
    changePassword(context, typed, { password, session: open!.id, by: byOf(id) });
  await change('first');
  await t.rejects(change('second'), expired);
  t.equal((await findAccountWithSecrets(db, id))?.password, 'first');
});

t.test('a change of the password begins no session anew that was ended meanwhile', async (t) => {
  const person = await newPerson(system);
  const thief = panelClient(adminUrl);
  await thief.signInAs(person.email, password);
  const { answer } = await db.transaction().execute(async (trx) => {
    const factor = { totpSecret: Buffer.from('sealed'), totpStep: 0 };
    await trx.updateTable('accounts').set(factor).where('id', '=', person.id).execute();
    const fields = { current: password, password: 'uma frase ainda melhor' };
    const change = thief.post(`${page}/password`, fields, page);
    await untilWaiting(databaseUrl, 1);
    await trx.deleteFrom('sessions').where('accountId', '=', person.id).execute();
    return { answer: change };
  });
  const { status, text } = await answer;
  t.equal(status, 403);
  t.match(text, expired.message);
  t.same(await sessionsOf(person.id), []);
});

t.test('who changes the password is signed in anew as the account that they changed', async (t) => {
  const person = await newPerson(system);
  const [open] = await sessionsOf(person.id);
  // The session before is ended once the password is changed, and before the new one begins.
  const pause = await pauseOn(databaseUrl, 'after delete on sessions', `old.id = '${open!.id}'`);
  const change = person.post(`${page}/password`, { current: password, password: 'uma frase melhor' }, page);
  await pause.reached();
  await db
    .updateTable('accounts')
    .set({ totpSecret: Buffer.from('sealed'), totpStep: 0 })
    .where('id', '=', person.id)
    .execute();
  await pause.end();
  t.equal((await change).headers.get('location'), '/panel/sign-in');
  t.same(await sessionsOf(person.id), []);
});

t.test('a session that has ended takes no factor away', async (t) => {
  const { id } = await newPerson(system);
  const passkey = { id: `of ${id}`, accountId: id, publicKey: Buffer.from('key'), counter: 0 };
  const named = { name: 'Firefox', createdAt: new Date() };
  await db
    .insertInto('passkeys')
    .values({ ...passkey, ...named })
    .execute();
  const factor = { totpSecret: Buffer.from('sealed'), totpStep: 0 };
  await db.updateTable('accounts').set(factor).where('id', '=', id).execute();
  const account = (await findAccountWithSecrets(db, id))!;
  const [open] = await sessionsOf(id);
  await db.deleteFrom('sessions').where('accountId', '=', id).execute();
  const ended = { session: open!.id, by: byOf(id) };
  await t.rejects(removePasskey(context, account, { id: passkey.id, ...ended }), expired);
  await t.rejects(turnOffSecondFactor(context, account, ended), expired);
  t.equal((await db.selectFrom('passkeys').select('id').where('accountId', '=', id).execute()).length, 1);
  t.ok((await findAccountWithSecrets(db, id))?.totpSecret);
});

t.test('an account has twenty passkeys at most', async (t) => {
  const person = await newPerson(system);
  const passkeys = Array.from({ length: 20 }, (_, index) => ({
    ...{ id: `${person.id} ${index}`, accountId: person.id, publicKey: Buffer.from('key'), counter: 0 },
    ...{ name: 'Firefox', createdAt: new Date() },
  }));
  await system.db.insertInto('passkeys').values(passkeys).execute();
  const { status, text } = await person.post(`${page}/passkeys`, { current: password }, page);
  t.equal(status, 409);
  const message = 'A conta já tem 20 chaves de acesso. Remova uma antes de criar outra.';
  t.match(text, message);
  const account = (await findAccountWithSecrets(system.db, person.id))!;
  const passkey = { id: 'one more', publicKey: new Uint8Array([1]), counter: 0 };
  const [session] = await sessionsOf(person.id);
  const added = { passkey, name: 'Firefox', session: session!.id, by: byOf(person.id) };
  await t.rejects(addPasskey(context, account, added), { message });
});

t.test('sessions are listed, and ended one by one or all', async (t) => {
  const bia = await newPerson(system);
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const others = [1, 2, 3].map(() => panelClient(adminUrl, { 'user-agent': firefox }));
  for (const one of others) await one.signInAs(bia.email, password);
  const { text } = await bia.get(page);
  t.match(text, 'Firefox, Linux');
  t.match(text, '127.0.0.1');
  t.match(text, 'Esta sessão');
  const [, id = ''] = /sessions\/([0-9a-f-]{36})\/end/.exec(text) ?? [];
  t.equal((await bia.post(`${page}/sessions/${id}/end`, {}, page)).status, 303);
  t.equal((await Promise.all(others.map(isIn))).filter(Boolean).length, 2);
  t.equal((await bia.post(`${page}/sessions/end-others`, {}, page)).status, 303);
  t.strictSame(await Promise.all(others.map(isIn)), [false, false, false]);
  t.ok(await isIn(bia));
  const caio = await newPerson(system);
  const [, foreign = ''] = [
    null,
    (
      await system.db
        .selectFrom('sessions')
        .select('id')
        .where('accountId', '=', bia.id)
        .executeTakeFirstOrThrow()
    ).id,
  ];
  await caio.post(`${page}/sessions/${foreign}/end`, {}, page);
  t.ok(await isIn(bia), 'another’s session is not one’s own to end');
});

t.test('a common password is refused, where it is changed and at an invitation', async (t) => {
  const dora = await newPerson(system);
  const change = (given: string) =>
    dora.post(`${page}/password`, { current: password, password: given }, page);
  for (const given of ['123456789012', 'Flamengo2026!', 'minhasenha123', 'brasilbrasil', '1Q2W3E4R5T6Y']) {
    const { status, text } = await change(given);
    t.equal(status, 400, given);
    t.match(text, 'Esta senha é uma das mais usadas');
    t.notMatch(text, given);
  }
  t.match((await change(`${dora.email}!`)).text, 'não pode ser o seu nome nem o seu e-mail');
  t.equal((await change('girafas não usam gravata')).status, 303);
  const body = { name: 'Ema', email: 'ema@loja.example', role: 'viewer' };
  const { invitationUrl } = (await system.admin('/admin/accounts', { body })).body;
  const path = new URL(invitationUrl).pathname;
  const answer = await panelClient(adminUrl).post(path, { password: 'password2026' }, path);
  t.equal(answer.status, 400);
  t.match(answer.text, 'Esta senha é uma das mais usadas');
  t.equal((await panelClient(adminUrl).post(path, { password }, path)).status, 303, 'it is not used up');
});

t.test('the holder of ADMIN_KEY has no password to change', async (t) => {
  const person = panelClient(adminUrl);
  await person.signIn();
  t.match((await person.get(page)).text, 'Você entrou com a chave de administração.');
  t.equal((await person.post(`${page}/password`, { current: 'x', password }, page)).status, 404);
});

t.test('browsers in words', async (t) => {
  const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) ';
  for (const [agent, name] of [
    [`${windows}Chrome/140.0.0.0 Safari/537.36`, 'Chrome, Windows'],
    [`${windows}Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`, 'Edge, Windows'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1',
      'Safari, iOS',
    ],
    ['curl/8.5.0', 'curl/8.5.0'],
    [null, 'Navegador desconhecido'],
  ] as const)
    t.equal(browserName(agent), name);
});

t.test('everyone chooses the notices of the role, and owners see the choice', async (t) => {
  const store = await system.createStore({ name: 'Café do Mercado' });
  const [owner, finance] = [await newPerson(system), await newPerson(system, { role: 'finance' })];
  const admin = await newPerson(system, { role: 'store_admin', storeId: store.id });
  const ticked = async (one: typeof owner) =>
    [...(await one.get(page)).text.matchAll(/name="(\w+)" type="checkbox" checked/g)].map(([, name]) => name);
  const boxes = async (one: typeof owner) => (await one.get(page)).text.match(/type="checkbox"/g)?.length;
  t.same([await boxes(owner), await boxes(finance), await boxes(admin)], [8, 8, 3]);
  const usual = ['refund_owed', 'returned_by_bank', 'unmatched_pix', 'reconciliation_differs'];
  t.same(await ticked(finance), usual);

  const saved = await finance.post(`${page}/notices`, { bank_failing: 'on', refund_owed: 'on' }, page);
  t.equal(saved.headers.get('location'), '/panel/my-account?done=notices-saved#notices');
  t.same(await ticked(finance), ['refund_owed', 'bank_failing']);
  const shown = await owner.get(`/panel/accounts/${finance.id}`);
  t.match(shown.text, 'A pessoa escolheu os seus.');
  t.match(shown.text, '<li>Banco com falhas</li>');
  t.notMatch(shown.text, '<li>Pix sem pagamento</li>');
  const { body } = await system.admin(`/admin/accounts/${finance.id}`);
  t.same(body.notices, ['refund_owed', 'bank_failing']);

  await finance.post(`${page}/notices`, { usual: 'true' }, page);
  t.same(await ticked(finance), usual);
  t.match((await owner.get(`/panel/accounts/${finance.id}`)).text, 'São os do perfil.');
  await admin.post(`${page}/notices`, { bank_failing: 'on' }, page);
  t.same(await ticked(admin), [], 'what the role has not is no choice');
  t.match((await owner.get(`/panel/accounts/${admin.id}`)).text, 'Nenhum.');
  const [change] = (await system.admin('/admin/changes?limit=1')).body.items;
  t.match(change, { action: 'account.changed', subject: admin.id, to: { notices: [] } });
});
