import { startSystem } from '@payments/testing/system';
import { Secret, TOTP } from 'otpauth';
import t, { type Test } from 'tap';
import { panelClient } from '../../administration/panel-client.ts';
import { newPerson, type Person, password } from '../../administration/panel-people.ts';

/** `REQUIRE_SECOND_FACTOR`: who has none reaches “Minha conta” alone. */
const page = '/panel/my-account';
const missing = 'Falta o seu segundo fator.';

async function enrol(person: Person) {
  const shown = await person.post(`${page}/second-factor`, { current: password }, page);
  const secret = /aria-label="Chave do segundo fator">([A-Z2-7]+)</.exec(shown.text)?.[1] ?? '';
  const sealed = /name="sealed" value="([\w-]+)"/.exec(shown.text)?.[1] ?? '';
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  return person.post(`${page}/second-factor/confirm`, { sealed, code }, page);
}

async function startWith(whose: string) {
  const system = await startSystem({ dispatcher: false, env: { REQUIRE_SECOND_FACTOR: whose } });
  t.teardown(system.stop);
  return system;
}

const paths = ['/panel', '/panel/payments', '/panel/keys', '/panel/accounts', '/panel/refunds.csv'];

async function assertShut(t: Test, person: Person) {
  for (const path of paths) {
    const { status, headers } = await person.get(path);
    t.strictSame([status, headers.get('location')], [303, page], path);
  }
  for (const path of ['/panel/keys', '/panel/stores', '/panel/accounts']) {
    const { status, headers } = await person.post(path, { name: 'x', role: 'owner' }, page);
    t.strictSame([status, headers.get('location')], [303, page], path);
  }
  t.equal((await person.get('/panel', { 'x-panel-live': '1' })).status, 401, 'an open page asks no more');
  const { status, text } = await person.get(page);
  t.equal(status, 200);
  t.match(text, missing);
  t.notMatch(text, 'aria-label="Principal"><ul><li>', 'no menu leads elsewhere');
}

t.test('platform: its people need one, a store’s people do not', async (t) => {
  const system = await startWith('platform');
  const store = await system.createStore();
  const ana = await newPerson(system);
  const bia = await newPerson(system, { role: 'store_admin', storeId: store.id });
  t.equal((await bia.get('/panel')).status, 200);
  t.notMatch((await bia.get(page)).text, missing);
  await assertShut(t, ana);
  t.strictSame((await system.admin('/admin/keys')).body.items, [], 'nothing was done');
  t.equal((await enrol(ana)).status, 200);
  t.equal((await ana.get('/panel')).status, 200);
  t.notMatch((await ana.get(page)).text, missing);
  await ana.post(`${page}/second-factor/off`, { current: password }, page);
  await assertShut(t, ana);
});

t.test('all: a store’s people need one, too; they may sign out', async (t) => {
  const system = await startWith('all');
  const store = await system.createStore();
  const bia = await newPerson(system, { role: 'store_viewer', storeId: store.id });
  await assertShut(t, bia);
  t.equal((await bia.post('/panel/sign-out', {}, page)).status, 303);
  t.match((await bia.get(page)).headers.get('location'), /^\/panel\/sign-in/);
});

t.test('ADMIN_KEY opens the panel until an owner has a factor', async (t) => {
  const system = await startWith('platform');
  const holder = panelClient(system.adminUrl);
  t.equal((await holder.signIn()).status, 303);
  t.equal((await holder.get('/panel/accounts/new')).status, 200, 'for the first account');
  const ana = await newPerson(system);
  await enrol(ana);
  t.match((await holder.get('/panel')).headers.get('location'), page);
  t.match((await holder.get(page)).text, 'que a chave de administração não tem');
  const again = await panelClient(system.adminUrl).signIn();
  t.equal(again.status, 401);
  t.match(again.text, 'O painel pede um segundo fator');
  t.equal((await system.admin('/admin/accounts')).status, 200, 'the API takes the key');
});

t.test('none is the default', async (t) => {
  const system = await startSystem({ dispatcher: false });
  t.teardown(system.stop);
  const ana = await newPerson(system);
  t.equal((await ana.get('/panel')).status, 200);
  t.notMatch((await ana.get(page)).text, missing);
});
