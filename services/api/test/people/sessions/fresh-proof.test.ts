import { startSystem } from '@payments/testing/system';
import { Secret, TOTP } from 'otpauth';
import t from 'tap';
import { type PanelClient, panelClient, tokenIn } from '../../administration/panel-client.ts';
import { newPerson, password } from '../../administration/panel-people.ts';

/** A fresh proof before what is sensitive: asked for once the last one is older than `PROOF_SECONDS`. */
let now = new Date('2026-11-23T12:00:00Z');
const system = await startSystem({ dispatcher: false, now: () => now });
t.teardown(system.stop);
const { admin, adminUrl, db } = system;
const later = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1_000);
};
const asks = 'Confirme que é você';
const signedIn = async (account?: Parameters<typeof newPerson>[1]) => newPerson(system, account);

const lastRefused = async () =>
  (await admin('/admin/changes?limit=10')).body.items.find(
    ({ action }: { action: string }) => action === 'sign_in_refused',
  );

/** @returns the hidden fields of a page's first form that is posted to `action` */
function fieldsIn(page: string, action: string): Record<string, string> {
  const form = page.split('<form ').find((part) => part.includes(`action="${action}"`)) ?? '';
  const hidden = [...form.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  return Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
}

async function prove(person: PanelClient, path: string, page: string, proof: Record<string, string>) {
  const { _csrf, ...kept } = fieldsIn(page, path);
  return person.post(path, { ...kept, ...proof });
}

t.test('the sign-in is a proof for five minutes; then the password goes with the same form', async (t) => {
  const ana = await signedIn();
  const create = (name: string) => ana.post('/panel/keys', { name, role: 'viewer', note: 'a "b" <c>\r\nd' });
  later(299);
  t.match((await create('Cedo')).text, /ppk_[\w-]{43}/);
  later(1);
  const asked = await create('Robô & Cia "1"');
  t.equal(asked.status, 200);
  t.match(asked.text, asks);
  t.match(asked.text, 'Para criar a chave');
  t.match(asked.text, 'autocomplete="current-password"');
  t.notMatch(asked.text, /ppk_/);
  const names = async () => (await admin('/admin/keys')).body.items.map((one: { name: string }) => one.name);
  t.strictSame(await names(), ['Cedo'], 'nothing was done');
  t.match(asked.text, 'name="name" value="Robô &amp; Cia &quot;1&quot;"');
  t.match(asked.text, 'value="a &quot;b&quot; &lt;c&gt;\r\nd"');

  const wrong = await ana.post('/panel/keys', { name: 'Robô', role: 'viewer', current: 'não é esta senha' });
  t.equal(wrong.status, 401);
  t.match(wrong.text, 'Senha incorreta.');
  t.match(wrong.text, 'name="name" value="Robô"', 'what was typed stays');
  t.notMatch(wrong.text, 'não é esta senha');
  t.strictSame(await names(), ['Cedo']);

  const right = await ana.post('/panel/keys', { name: 'Robô', role: 'viewer', current: password });
  t.equal(right.status, 200);
  t.match(right.text, /ppk_[\w-]{43}/);
  t.notMatch(right.text, password);
  t.strictSame(await names(), ['Cedo', 'Robô']);
  later(299);
  t.match((await create('Depois')).text, /ppk_[\w-]{43}/, 'a proof counts as long as a sign-in');
  t.match(await lastRefused(), { subject: ana.id, authorId: ana.id, to: { cause: 'proof' } });
});

t.test('every sensitive form asks, does nothing before, and goes on after', async (t) => {
  const store = await system.createStore();
  const bia = await signedIn();
  const other = await signedIn({ role: 'viewer' });
  const keyId = (await admin('/admin/keys', { body: { name: 'K', role: 'viewer' } })).body.id;
  const tokens = (await admin(`/admin/stores/${store.id}/tokens`)).body.items;
  const gone = '00000000-0000-7000-8000-000000000000';
  const forms: [path: string, fields: Record<string, string>, statusAfter: number][] = [
    ['/panel/keys', { name: 'Nova', role: 'viewer' }, 200],
    [`/panel/keys/${keyId}/delete`, {}, 303],
    ['/panel/accounts', { name: 'Nova', email: 'nova@loja.example', role: 'viewer' }, 200],
    [`/panel/accounts/${other.id}`, { name: 'Outro', role: 'finance' }, 303],
    [`/panel/accounts/${other.id}/active`, { active: 'false' }, 303],
    [`/panel/accounts/${other.id}/invitation`, {}, 200],
    [`/panel/stores/${store.id}/tokens`, {}, 200],
    [`/panel/stores/${store.id}/tokens/${tokens[0].id}/deactivate`, {}, 303],
    [`/panel/stores/${store.id}/choices`, { refund: 'on', refundLimitPerDay: '100' }, 303],
    [`/panel/stores/${store.id}/webhook-secret/show`, {}, 200],
    [`/panel/stores/${store.id}/webhook-secret/rotate`, {}, 200],
    [`/panel/payments/${gone}/refunds`, { key: gone }, 404],
    [`/panel/payments/${gone}/refunds/D1/retry`, {}, 404],
    [`/panel/payments/${gone}/refunds/D1/withdraw`, {}, 404],
    [`/panel/payments/${gone}/status`, { status: 'not_approved', reason: 'fraude' }, 404],
    ['/panel/unmatched-pix/E1/refund', {}, 404],
    ['/panel/my-account/passkeys/x/remove', {}, 303],
  ];
  const recorded = async () => (await db.selectFrom('changes').select('id').execute()).length;
  for (const [path, fields, statusAfter] of forms) {
    later(301);
    const before = await recorded();
    const asked = await bia.post(path, fields);
    t.match([asked.status, asked.text], [200, asks], path);
    t.notMatch(asked.text, /whsec_|pp_[\w-]{43}|ppk_|\/panel\/invitation\//, path);
    t.equal(await recorded(), before, path);
    const after = await prove(bia, path, asked.text, { current: password });
    t.equal(after.status, statusAfter, path);
    t.notMatch(after.text, asks, path);
  }
});

t.test('what is not sensitive asks for nothing, and neither does the page before a refund', async (t) => {
  const store = await system.createStore();
  const { body } = await system.api('/api-public/payments', { token: store.token, body: { amount: 10 } });
  const carla = await signedIn();
  later(3_600);
  t.equal((await carla.get('/panel')).status, 303, 'after an hour without use the session has ended');
  await carla.signInAs(carla.email, password);
  later(600);
  t.equal((await carla.post('/panel/stores', { name: 'Loja' })).status, 303);
  t.notMatch((await carla.post(`/panel/payments/${body.id}/status`, { status: 'approved' })).text, asks);
  t.notMatch((await carla.post(`/panel/payments/${body.id}/refunds`, {})).text, asks);
  t.match((await carla.post(`/panel/payments/${body.id}/refunds`, { key: body.id })).text, asks);
});

t.test('a role that may not is refused before it is asked, and a forged post, too', async (t) => {
  const davi = await signedIn({ role: 'viewer' });
  later(301);
  const refused = await davi.post('/panel/keys', { name: 'x', role: 'viewer', current: password });
  t.equal(refused.status, 403);
  t.notMatch(refused.text, asks);
  const eva = await signedIn();
  later(301);
  const forged = await eva.post('/panel/keys', { _csrf: 'x', name: 'x', role: 'viewer', current: password });
  t.equal(forged.status, 403);
});

t.test('proofs are guessed no faster than sign-ins', async (t) => {
  const fabio = await signedIn();
  later(301);
  const guess = (current: string) => fabio.post('/panel/keys', { name: 'x', role: 'viewer', current });
  const statuses: number[] = [];
  for (let count = 0; count < 7; count += 1) statuses.push((await guess(`palpite número ${count}`)).status);
  t.strictSame(statuses, [401, 401, 401, 401, 401, 429, 429]);
  const right = await guess(password);
  t.equal(right.status, 429);
  t.match(right.headers.get('retry-after'), /^\d+$/);
  t.match(right.text, 'Muitas tentativas.');
  t.notMatch(right.text, /ppk_/);
  later(60);
  t.match((await guess(password)).text, /ppk_/);
});

t.test('a code of the app is a proof, once; another session has proved nothing', async (t) => {
  const gil = await signedIn();
  const page = '/panel/my-account';
  const shown = await gil.post(`${page}/second-factor`, { current: password }, page);
  const secret = /aria-label="Chave do segundo fator">([A-Z2-7]+)</.exec(shown.text)?.[1] ?? '';
  const { sealed = '' } = fieldsIn(shown.text, `${page}/second-factor/confirm`);
  const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now.getTime() });
  await gil.post(`${page}/second-factor/confirm`, { sealed, code: code() }, page);
  later(301);
  const other = panelClient(adminUrl);
  await other.signInAs(gil.email, password);
  await other.post('/panel/sign-in/second-factor', { code: code() }, '/panel/sign-in/second-factor');
  later(301);
  const fields = { name: 'x', role: 'viewer' };
  const asked = await gil.post('/panel/keys', fields);
  t.match(asked.text, 'autocomplete="one-time-code"');
  t.equal((await gil.post('/panel/keys', { ...fields, code: '000000' })).status, 401);
  const given = code();
  t.match((await gil.post('/panel/keys', { ...fields, code: given })).text, /ppk_/);
  t.match((await other.post('/panel/keys', fields)).text, asks);
  t.equal((await other.post('/panel/keys', { ...fields, code: given })).status, 401, 'used');
});

t.test('a wrong password at “Minha conta” is in the record', async (t) => {
  const ivo = await signedIn();
  const page = '/panel/my-account';
  t.equal((await ivo.post(`${page}/second-factor`, { current: 'não é esta senha' }, page)).status, 400);
  t.match(await lastRefused(), { authorId: ivo.id, subject: ivo.id, to: { cause: 'proof' } });
});

t.test('the holder of ADMIN_KEY proves by the key', async (t) => {
  const person = panelClient(adminUrl);
  await person.signIn();
  later(301);
  const fields = { name: 'x', role: 'viewer' };
  const asked = await person.post('/panel/keys', fields);
  t.match(asked.text, asks);
  t.match(asked.text, 'Chave de administração');
  const wrong = await person.post('/panel/keys', { ...fields, current: 'wrong-admin-key' });
  t.equal(wrong.status, 401);
  t.match(wrong.text, 'Chave de administração inválida.');
  t.match(await lastRefused(), {
    author: 'ADMIN_KEY',
    authorId: null,
    subject: null,
    to: { cause: 'proof' },
  });
  t.match((await person.post('/panel/keys', { ...fields, current: 'test-admin-key' })).text, /ppk_/);
});

t.test('a session that ended meanwhile proves nothing', async (t) => {
  const hugo = await signedIn();
  later(301);
  const _csrf = tokenIn((await hugo.get('/panel')).text);
  await admin(`/admin/accounts/${hugo.id}`, { method: 'PATCH', body: { role: 'operator' } });
  const answer = await hugo.post('/panel/keys', { _csrf, name: 'x', role: 'viewer', current: password });
  t.match([answer.status, answer.headers.get('location')], [303, /^\/panel\/sign-in/]);
});

t.test('programs’ keys are their own proof', async (t) => {
  later(3_600);
  t.equal((await admin('/admin/keys', { body: { name: 'API', role: 'viewer' } })).status, 201);
});
