import { untilWaiting } from '@payments/testing/pause';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { fieldsOf, panelClient } from '../../administration/panel-client.ts';
import { newPerson, password } from '../../administration/panel-people.ts';

/** The owners' pages: people's accounts, and the keys of programs. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const { admin, adminUrl, createStore } = system;
const store = await createStore({ name: 'Café do Mercado' });
const newPage = '/panel/accounts/new';
const linkIn = (text: string) => /\/panel\/invitation\/[\w-]{43}/.exec(text)?.[0] ?? '';

t.test('who comes with ADMIN_KEY makes the first owner, who makes the others', async (t) => {
  const founder = panelClient(adminUrl);
  await founder.signIn();
  t.match((await founder.get('/panel')).text, '/panel/accounts/new?role=owner');
  t.match((await founder.get('/panel/accounts/new?role=owner')).text, '<option value="owner" selected>');
  const fields = { name: 'Ana', email: 'ana@loja.example', role: 'owner', storeId: '' };
  const made = await founder.post('/panel/accounts', fields, newPage);
  t.equal(made.status, 200);
  const path = linkIn(made.text);
  const ana = panelClient(adminUrl);
  await ana.post(path, { password }, path);
  t.notMatch((await founder.get('/panel')).text, 'Crie a primeira conta');
  const bia = { name: 'Bia', email: 'bia@loja.example', role: 'store_admin', storeId: store.id };
  t.equal((await ana.post('/panel/accounts', bia, newPage)).status, 200);
  const { text } = await ana.get('/panel/accounts');
  for (const shown of ['Ana', 'bia@loja.example', 'Loja: administração', 'Café do Mercado', 'Proprietário'])
    t.match(text, shown);
  t.notMatch(text, '/panel/invitation/');
  const { items } = (await admin('/admin/changes?limit=1')).body;
  t.match(items, [{ action: 'account.created', author: 'Ana' }]);
});

t.test('wrong fields are said beside them, and nothing is lost', async (t) => {
  const owner = await newPerson(system);
  const good = { name: 'Caio', email: 'caio@loja.example', role: 'viewer', storeId: '' };
  for (const [fields, message] of [
    [{ ...good, name: ' ' }, 'Não pode ficar em branco.'],
    [{ ...good, email: 'caio' }, 'Escreva um e-mail'],
    [{ ...good, email: owner.email }, 'Já existe uma conta com este e-mail.'],
    [{ ...good, role: 'store_admin' }, 'Escolha uma loja para um perfil de loja'],
    [{ ...good, storeId: store.id }, 'Escolha uma loja para um perfil de loja'],
    [{ ...good, role: 'king' }, 'Valor inválido.'],
  ] as const) {
    const { status, text } = await owner.post('/panel/accounts', fields, newPage);
    t.equal(status, 400, message);
    t.match(text, message);
    t.match(text, fields.email);
  }
});

t.test('name, role, activation and a new invitation', async (t) => {
  const [owner, other] = [await newPerson(system), await newPerson(system, { role: 'viewer' })];
  const path = `/panel/accounts/${other.id}`;
  const saved = await owner.post(path, { name: 'Davi', role: 'finance', storeId: '' }, path);
  t.match(saved.headers.get('location'), 'done=account-saved');
  t.equal((await other.get('/panel/my-account')).status, 303, 'the role changed: signed out');
  const invited = await owner.post(`${path}/invitation`, {}, path);
  t.equal((await panelClient(adminUrl).get(linkIn(invited.text))).status, 200);
  t.equal((await owner.post(`${path}/active`, { active: 'false' }, path)).status, 303);
  t.equal((await panelClient(adminUrl).signInAs(other.email, password)).status, 401);
  t.match((await owner.get(path)).text, 'Ativar conta');
  t.equal((await owner.post(`${path}/active`, { active: 'true' }, path)).status, 303);
  t.equal((await owner.get('/panel/accounts/x')).status, 404);
});

t.test('a role is not given with a store that the page did not show', async (t) => {
  const [owner, one, two] = [await newPerson(system), store, await createStore()];
  const person = await newPerson(system, { role: 'store_viewer', storeId: one.id });
  const path = `/panel/accounts/${person.id}`;
  const account = async () => (await admin(`/admin/accounts/${person.id}`)).body;
  const move = (storeId: string) =>
    admin(`/admin/accounts/${person.id}`, { method: 'PATCH', body: { storeId } });
  const loaded = fieldsOf((await owner.get(path)).text, path);
  t.match(loaded, { role: 'store_viewer', storeId: one.id });
  await move(two.id);
  const refused = await owner.post(path, { ...loaded, role: 'store_admin', name: 'Eva' }, path);
  t.equal(refused.status, 409);
  t.match(refused.text, 'Estes dados mudaram enquanto a página estava aberta.');
  t.match(
    fieldsOf(refused.text, path),
    { role: 'store_viewer', storeId: two.id },
    'the page has the values of now',
  );
  t.match(await account(), { role: 'store_viewer', storeId: two.id }, 'nothing is saved');
  t.not((await account()).name, 'Eva');
  t.equal((await owner.post(path, { ...loaded, name: 'Eva' }, path)).status, 303, 'a name goes with neither');
  t.match(await account(), { name: 'Eva', role: 'store_viewer', storeId: two.id });

  const today = fieldsOf((await owner.get(path)).text, path);
  const [moved, save] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const another = system.db.transaction().execute(async (trx) => {
    await trx.updateTable('accounts').set({ storeId: one.id }).where('id', '=', person.id).execute();
    moved.resolve();
    await save.promise;
  });
  await moved.promise;
  const sent = owner.post(path, { ...today, role: 'store_admin' }, path);
  await untilWaiting(system.env.DATABASE_URL!, 1);
  save.resolve();
  await another;
  t.equal((await sent).status, 409, 'nor if both save at the same moment');
  t.match(await account(), { role: 'store_viewer', storeId: one.id });
});

t.test('the last owner stays', async (t) => {
  const owner = await newPerson(system);
  const { items } = (await admin('/admin/accounts')).body;
  for (const { id, role } of items as { id: string; role: string }[])
    if (role === 'owner' && id !== owner.id)
      await admin(`/admin/accounts/${id}`, { method: 'PATCH', body: { active: false } });
  const path = `/panel/accounts/${owner.id}`;
  const { text } = await owner.post(`${path}/active`, { active: 'false' }, path);
  t.match(text, 'Esta é a última conta ativa de proprietário.');
  t.equal((await owner.get(path)).status, 200);
});

t.test('keys are made, shown once, and deleted', async (t) => {
  const owner = await newPerson(system);
  const made = await owner.post('/panel/keys', { name: 'ERP', role: 'finance', storeId: '' }, '/panel/keys');
  const [key = ''] = /ppk_[\w-]{43}/.exec(made.text) ?? [];
  t.equal((await admin('/admin/payments', { token: key })).status, 200);
  const { text } = await owner.get('/panel/keys');
  t.notMatch(text, key);
  const [, id = ''] = /keys\/([0-9a-f-]{36})\/delete/.exec(text) ?? [];
  t.equal((await owner.post(`/panel/keys/${id}/delete`, {}, '/panel/keys')).status, 303);
  t.equal((await admin('/admin/payments', { token: key })).status, 401);
  t.equal((await owner.post(`/panel/keys/${id}/delete`, {}, '/panel/keys')).status, 404);
  const past = { name: 'x', role: 'viewer', storeId: '', expiresAt: '2020-01-01T00:00' };
  t.match((await owner.post('/panel/keys', past, '/panel/keys')).text, 'Deve ser um momento futuro.');
});

t.test('no other role opens them', async (t) => {
  for (const role of ['operator', 'finance', 'viewer', 'store_admin', 'store_viewer'] as const) {
    const storeId = role.startsWith('store_') ? { storeId: store.id } : {};
    const person = await newPerson(system, { role, ...storeId });
    for (const path of ['/panel/accounts', newPage, '/panel/keys']) {
      const { status, text } = await person.get(path);
      t.equal(status, 403, `${role} ${path}`);
      t.match(text, 'Seu perfil não permite esta página.');
    }
    const fields = { name: 'x', email: 'x@loja.example', role: 'owner', storeId: '' };
    t.equal((await person.post('/panel/accounts', fields, '/panel/my-account')).status, 403);
    t.equal((await person.post('/panel/keys', fields, '/panel/my-account')).status, 403);
  }
});
