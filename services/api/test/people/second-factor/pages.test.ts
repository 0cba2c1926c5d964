import { untilWaiting } from '@payments/testing/pause';
import { Secret } from 'otpauth';
import t from 'tap';
import { type PanelAnswer, panelClient } from '../../administration/panel-client.ts';
import { newPerson, password } from '../../administration/panel-people.ts';
import { openFactors, page, step } from './factors.ts';

/** The second factor of a sign-in, its recovery codes, and attacks on it; many guesses are in `guesses.slow.ts`. */
const { system, now, later, codeOf, enrol, half } = await openFactors(t);
const { admin, adminUrl, db } = system;
const isIn = async (one: ReturnType<typeof panelClient>) => (await one.get('/panel/stores')).status === 200;

t.test(
  'turned on with a QR code and ten recovery codes; the database has neither in the clear',
  async (t) => {
    const ana = await newPerson(system);
    const other = panelClient(adminUrl);
    await other.signInAs(ana.email, password);
    t.equal((await ana.post(`${page}/second-factor`, { current: 'senha errada mesmo' }, page)).status, 400);
    const { shown, secret, confirmed, codes } = await enrol(ana);
    t.match(shown.text, '<svg');
    t.equal(confirmed.status, 200);
    t.equal(new Set(codes).size, 10);
    t.match(confirmed.text, 'data-address="/panel/my-account#second-factor"', 'a reload posts nothing again');
    t.ok(await isIn(ana));
    t.notOk(await isIn(other), 'what the password alone opened has ended');
    const rows = await Promise.all([
      db.selectFrom('accounts').selectAll().execute(),
      db.selectFrom('recoveryCodes').selectAll().execute(),
      db.selectFrom('changes').selectAll().execute(),
    ]);
    for (const text of [secret, ...codes]) t.notOk(JSON.stringify(rows).includes(text));
    const [row] = await db.selectFrom('accounts').select('totpSecret').where('id', '=', ana.id).execute();
    const plain = Buffer.from(Secret.fromBase32(secret).buffer);
    t.notOk(row?.totpSecret?.includes(plain));

    later(60);
    const { answer, browser, give } = await half(ana);
    t.match(answer.headers.get('location'), step);
    t.notOk(await isIn(browser), 'half signed in opens nothing');
    t.equal((await give('000000')).status, 401);
    t.equal((await give(codeOf(secret))).status, 303);
    t.ok(await isIn(browser));
  },
);

t.test('half signed in, one can do nothing but give the code', async (t) => {
  const bia = await newPerson(system);
  const { secret } = await enrol(bia);
  later(60);
  const { browser, give } = await half(bia);
  const again = (await browser.get(`${step}?back=%2Fpanel%2Frefunds`)).text;
  t.match(again, 'href="/panel/sign-in?back=%2Fpanel%2Frefunds">Recomeçar');
  const before = browser.cookies.get('panel_session') ?? '';
  for (const path of ['/panel', page, '/panel/payments', '/panel/stores/new'])
    t.equal((await browser.get(path)).status, 303, path);
  for (const path of [
    `${page}/second-factor/off`,
    `${page}/password`,
    '/panel/stores',
    `${page}/second-factor`,
  ]) {
    const { status, headers } = await browser.post(path, { current: password, name: 'x' }, step);
    t.match([status, headers.get('location')], [303, /^\/panel\/sign-in/], path);
  }
  t.equal((await give(codeOf(secret))).status, 303);
  t.not(browser.cookies.get('panel_session'), before, 'a new id');
  const thief = panelClient(adminUrl);
  thief.cookies.set('panel_session', before);
  t.notOk(await isIn(thief));
  t.equal((await thief.get(step)).status, 303, 'the half session has ended');
  const slow = await half(bia);
  later(601);
  t.equal((await slow.browser.get(step)).status, 303, 'and ends by itself after ten minutes');
});

t.test('a code is accepted once, also at the same time, and not an older one after it', async (t) => {
  const caio = await newPerson(system);
  const { secret } = await enrol(caio);
  const first = await half(caio, '198.51.100.2');
  t.equal((await first.give(codeOf(secret))).status, 401, 'not the one that turned it on');
  later(60);
  const old = codeOf(secret);
  later(30);
  const code = codeOf(secret);
  const tries = await Promise.all([1, 2, 3].map((each) => half(caio, `198.51.100.1${each}`)));
  const answers = await Promise.all(tries.map(({ give }) => give(code)));
  t.strictSame(answers.map(({ status }) => status).sort(), [303, 401, 401]);
  t.equal((await (await half(caio, '198.51.100.3')).give(old)).status, 401);
});

t.test('a recovery code replaces the app once', async (t) => {
  const davi = await newPerson(system);
  const { codes } = await enrol(davi);
  t.equal((await (await half(davi)).give(codes[0]!.toUpperCase().replaceAll('-', ' '))).status, 303);
  t.equal((await (await half(davi)).give(codes[0]!)).status, 401);
  t.match((await davi.get(page)).text, 'Restam 9 códigos');
  const left = db.selectFrom('recoveryCodes').where('accountId', '=', davi.id).select('hash');
  await db.deleteFrom('recoveryCodes').where('hash', 'in', left.limit(8)).execute();
  t.match((await davi.get(page)).text, 'Resta 1 código de recuperação.');
  await db.deleteFrom('recoveryCodes').where('accountId', '=', davi.id).execute();
  t.match((await davi.get(page)).text, 'Não resta nenhum código de recuperação.');
  const eva = await newPerson(system);
  await enrol(eva);
  t.equal((await (await half(eva)).give(codes[1]!)).status, 401, 'and only the own account’s');
});

t.test('guessed codes are slowed down', async (t) => {
  const fabio = await newPerson(system);
  const { secret } = await enrol(fabio);
  later(60);
  const { give, browser } = await half(fabio, '203.0.113.1');
  const statuses: number[] = [];
  for (let guess = 0; guess < 8; guess += 1) statuses.push((await give(String(100_000 + guess))).status);
  t.strictSame(statuses, [401, 401, 401, 401, 401, 429, 429, 429]);
  t.equal((await give(codeOf(secret))).status, 429);
  t.equal(
    (await (await half(fabio, '203.0.113.9')).give(codeOf(secret))).status,
    429,
    'from anywhere unknown',
  );
  later(1);
  t.equal((await give(codeOf(secret))).status, 303);
  t.ok(await isIn(browser));
});

t.test('a current password that is wrong too often waits, in every form of the page', async (t) => {
  const rui = await newPerson(system);
  const wrong = { current: 'não é esta senha', password: 'uma frase ainda melhor' };
  const change = () => rui.post(`${page}/password`, wrong, page);
  // The browser signed in here before: it has five tries.
  for (let guess = 0; guess < 5; guess += 1) t.equal((await change()).status, 400);
  for (const form of ['password', 'passkeys', 'second-factor', 'second-factor/off']) {
    const { status, headers, text } = await rui.post(`${page}/${form}`, wrong, page);
    t.equal(status, 429, form);
    t.ok(Number(headers.get('retry-after')) > 0, form);
    t.match(text, 'Muitas tentativas. Tente de novo em', form);
  }
});

t.test('turned off with the password, and by a new invitation', async (t) => {
  const gil = await newPerson(system);
  const { sealed, secret } = await enrol(gil);
  const replayed = { sealed, code: codeOf(secret) };
  t.equal(
    (await gil.post(`${page}/second-factor/confirm`, replayed, page)).status,
    403,
    'not while it is on',
  );
  t.equal((await gil.post(`${page}/second-factor/off`, { current: 'não é esta senha' }, page)).status, 400);
  t.equal((await (await half(gil)).answer).headers.get('location')?.startsWith(step), true, 'still on');
  t.equal((await gil.post(`${page}/second-factor/off`, { current: password }, page)).status, 303);
  t.equal((await half(gil)).answer.headers.get('location'), '/panel');
  const hugo = await newPerson(system);
  await enrol(hugo);
  const { body } = await admin(`/admin/accounts/${hugo.id}/invitation`, { body: {} });
  const path = new URL(body.invitationUrl).pathname;
  await panelClient(adminUrl).post(path, { password: 'a minha nova frase' }, path);
  const answer = await panelClient(adminUrl).signInAs(hugo.email, 'a minha nova frase');
  t.equal(answer.headers.get('location'), '/panel');
});

/** Ends a person's sessions while `act` waits for one of them, as a reset at that moment does. */
async function overtaken(personId: string, act: () => Promise<PanelAnswer>): Promise<PanelAnswer> {
  const ending = await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('sessions').where('accountId', '=', personId).execute();
    const answer = act();
    await untilWaiting(system.env.DATABASE_URL ?? '', 1);
    return { answer };
  });
  return ending.answer;
}

t.test('a session that ends meanwhile turns no factor on or off', async (t) => {
  const ines = await newPerson(system);
  const shown = await ines.post(`${page}/second-factor`, { current: password }, page);
  const secret = /aria-label="Chave do segundo fator">([A-Z2-7]+)</.exec(shown.text)?.[1] ?? '';
  const sealed = /name="sealed" value="([\w-]+)"/.exec(shown.text)?.[1] ?? '';
  const isOn = async (id: string) =>
    (await db.selectFrom('accounts').select('totpSecret').where('id', '=', id).executeTakeFirstOrThrow())
      .totpSecret !== null;
  const confirm = () => ines.post(`${page}/second-factor/confirm`, { sealed, code: codeOf(secret) }, page);
  t.equal((await overtaken(ines.id, confirm)).status, 403);
  t.notOk(await isOn(ines.id));
  const joana = await newPerson(system);
  await enrol(joana);
  const turnOff = () => joana.post(`${page}/second-factor/off`, { current: password }, page);
  t.equal((await overtaken(joana.id, turnOff)).status, 403);
  t.ok(await isOn(joana.id));
});

t.test('a stolen secret of another account can’t be handed in', async (t) => {
  const [iris, joao] = [await newPerson(system), await newPerson(system)];
  const shown = await iris.post(`${page}/second-factor`, { current: password }, page);
  const secret = /aria-label="Chave do segundo fator">([A-Z2-7]+)</.exec(shown.text)?.[1] ?? '';
  const sealed = /name="sealed" value="([\w-]+)"/.exec(shown.text)?.[1] ?? '';
  const fields = { sealed, code: codeOf(secret) };
  t.equal((await joao.post(`${page}/second-factor/confirm`, fields, page)).status, 403);
  t.equal((await joao.post(`${page}/second-factor/confirm`, { ...fields, sealed: 'x' }, page)).status, 403);
});

t.test(
  'while SECRETS_KEY is changed, codes work with the key before, and then with the new one',
  async (t) => {
    const lia = await newPerson(system);
    const { secret } = await enrol(lia);
    const { startApi } = await import('../../../src/api.ts');
    const { apiSettings } = await import('../../../src/settings.ts');
    const { readEnvironment } = await import('@payments/runtime/environment');
    const { createLogger } = await import('@payments/runtime/logging');
    const before = system.env.SECRETS_KEY as string;
    const SECRETS_KEY = 'another-key-of-thirty-two-letters';
    const codes = async (env: Record<string, string>) => {
      later(60);
      const settings = readEnvironment(apiSettings, { ...system.env, PORT: '0', ...env });
      const api = await startApi(settings, createLogger('api', 'silent'), { now });
      const browser = panelClient(`http://127.0.0.1:${api.adminPort}`);
      await browser.signInAs(lia.email, password);
      const { status } = await browser.post(step, { code: codeOf(secret) }, step);
      await api.close();
      return status;
    };
    const people = await system.db
      .selectFrom('accounts')
      .where('totpSecret', 'is not', null)
      .selectAll()
      .execute();
    const message = new RegExp(
      `do not open stored secrets: \\d+ of mails, ${people.length} of second factors$`,
    );
    await t.rejects(codes({ SECRETS_KEY }), { message }, 'not without it');
    t.equal(await codes({ SECRETS_KEY, SECRETS_KEY_PREVIOUS: before }), 303);
    t.equal(await codes({ SECRETS_KEY }), 303, 'all were sealed anew at that start');
    t.equal(await codes({ SECRETS_KEY, ADMIN_KEY: 'another-admin-key' }), 303, 'whatever ADMIN_KEY is');
  },
);
