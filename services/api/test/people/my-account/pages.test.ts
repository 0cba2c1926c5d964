import { findAccountWithSecrets } from '@payments/database/accounts/accounts';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { browserName } from '../../../src/access/actor.ts';
import { addPasskey, changePassword } from '../../../src/people/my-account/actions.ts';
import { panelClient } from '../../administration/panel-client.ts';
import { newPerson, password } from '../../administration/panel-people.ts';

/** “Minha conta”: the own password and sessions. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const { adminUrl } = system;
const page = '/panel/my-account';
const isIn = async (one: ReturnType<typeof panelClient>) => (await one.get('/panel/stores')).status === 200;

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
  const typed = (await findAccountWithSecrets(system.db, id))!;
  const by = {
    name: 'x',
    id,
    via: 'panel',
    reason: null,
    requestId: null,
    address: null,
    browser: null,
  } as const;
  const change = (hash: string) =>
    changePassword({ db: system.db, now: () => new Date() }, typed, { password: hash, session: id, by });
  await change('first');
  await t.rejects(change('second'), {
    message: 'Este formulário expirou. Recarregue a página e tente de novo.',
  });
  t.equal((await findAccountWithSecrets(system.db, id))?.password, 'first');
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
  const by = { name: 'x', id: person.id, via: 'panel', reason: null, requestId: null } as const;
  const [session] = await system.db
    .selectFrom('sessions')
    .select('id')
    .where('accountId', '=', person.id)
    .execute();
  const added = { passkey, name: 'Firefox', session: session!.id, by };
  const context = { db: system.db, now: () => new Date() };
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
