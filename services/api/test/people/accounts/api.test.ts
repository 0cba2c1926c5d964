import { writePersonalMail } from '@payments/database/notices/notices';
import { newId } from '@payments/domain/identifiers';
import { untilWaiting } from '@payments/testing/pause';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError } from '../../public/payments/expectations.ts';

/** People's accounts in the admin API (Contract: roles). */
const now = new Date('2026-11-23T12:00:00Z');
const system = await startSystem({
  dispatcher: false,
  now: () => now,
  env: { ADMIN_URL: 'http://panel.example/' },
});
t.teardown(system.stop);
const { admin, createStore, db } = system;
const store = await createStore();
const nobody = '0190a5b0-0000-7000-8000-000000000000';
const make = (body: object, token?: string) => admin('/admin/accounts', { body, ...(token && { token }) });
const change = (id: string, body: object, token?: string) =>
  admin(`/admin/accounts/${id}`, { method: 'PATCH', body, ...(token && { token }) });

t.test('an account with its invitation, which only the creation shows', async (t) => {
  const { status, body } = await make({ name: ' Ana ', email: 'Ana@loja.example', role: 'finance' });
  t.equal(status, 201);
  const { invitationUrl, ...account } = body;
  t.match(account, {
    name: 'Ana',
    email: 'Ana@loja.example',
    role: 'finance',
    storeId: null,
    active: true,
    createdAt: now.toISOString(),
  });
  t.match(invitationUrl, /^http:\/\/panel\.example\/panel\/invitation\/[\w-]{43}$/);
  t.strictSame((await admin('/admin/accounts')).body, { items: [account] });
  const token = invitationUrl.split('/').at(-1);
  const rows = await db.selectFrom('accounts').selectAll().execute();
  const changes = await db.selectFrom('changes').selectAll().execute();
  t.notOk(JSON.stringify([rows, changes]).includes(token), 'the database has only its hash');
  t.notMatch(JSON.stringify(changes), /Ana@loja/i, 'and the record no e-mail');
});

t.test('a person who changes stores does not tell one of the other', async (t) => {
  const other = await createStore();
  const person = { name: 'Duda', email: 'duda@loja.example', role: 'store_admin', storeId: store.id };
  const { body } = await make(person);
  t.equal((await change(body.id, { storeId: other.id })).status, 200);
  const records = await Promise.all(
    [store.id, other.id].map(async (id) => (await admin(`/admin/stores/${id}/changes`)).text),
  );
  t.notOk(records[0]?.includes(other.id));
  t.notOk(records[1]?.includes(store.id));
  t.match((await admin('/admin/changes')).body.items[0], { action: 'account.changed', subject: body.id });
});

t.test('an e-mail that exists, in any case', async (t) => {
  await make({ name: 'Bia', email: 'bia@loja.example', role: 'viewer' });
  const again = await make({ name: 'B', email: 'BIA@Loja.Example', role: 'viewer' });
  isError(t, again, 409, 'Já existe uma conta com este e-mail.');
  const both = await Promise.all(
    [1, 2, 3].map(() => make({ name: 'C', email: 'c@x.example', role: 'viewer' })),
  );
  t.strictSame(both.map(({ status }) => status).sort(), [201, 409, 409], 'also at the same time');
});

t.test('wrong input', async (t) => {
  const good = { name: 'x', email: 'x@loja.example', role: 'viewer' };
  const cases: [object, number, string][] = [
    [{ ...good, name: ' ' }, 400, 'name should not be empty'],
    [{ ...good, name: '\u202e\u00ad' }, 400, 'name should not be empty'],
    [{ ...good, email: 'x' }, 400, 'email must be an email'],
    [{ ...good, email: undefined }, 400, 'email must be a string'],
    [{ ...good, email: '\ud800@x.example' }, 400, 'email must be an email'],
    [{ ...good, role: 'store_admin' }, 400, 'storeId should not be empty'],
    [{ ...good, role: 'owner', storeId: store.id }, 400, 'storeId should be empty'],
    [{ ...good, role: 'store_admin', storeId: 'x' }, 400, 'storeId must be a UUID'],
    [{ ...good, role: 'store_viewer', storeId: nobody }, 404, 'Loja não encontrada.'],
  ];
  for (const [body, status, message] of cases) isError(t, await make(body), status, message);
  t.match((await make({ ...good, role: 'king' })).body.message, /^role must be one of/);
  isError(t, await change(nobody, { name: 'x' }), 404, 'Conta não encontrada.');
  isError(t, await change('x', { name: 'x' }), 404, 'Conta não encontrada.');
  isError(t, await admin(`/admin/accounts/${nobody}/invitation`, { body: {} }), 404, 'Conta não encontrada.');
});

t.test('name, role and store change; a platform’s role loses the store', async (t) => {
  const request = { name: 'Davi', email: 'davi@loja.example', role: 'store_viewer', storeId: store.id };
  const { body: account } = await make(request);
  t.match((await change(account.id, { role: 'store_admin' })).body, {
    role: 'store_admin',
    storeId: store.id,
  });
  t.match((await change(account.id, { name: 'Davi B.', role: 'finance' })).body, {
    name: 'Davi B.',
    role: 'finance',
    storeId: null,
  });
  isError(t, await change(account.id, { role: 'store_admin' }), 400, 'storeId should not be empty');
  isError(t, await change(account.id, { storeId: store.id }), 400, 'storeId should be empty');
  isError(t, await change(account.id, { role: 'store_admin', storeId: nobody }), 404, 'Loja não encontrada.');
  t.equal((await change(account.id, { role: 'store_admin', storeId: store.id })).status, 200);
  const { items } = (await admin('/admin/changes?limit=1')).body;
  t.match(items[0], {
    action: 'account.changed',
    subject: account.id,
    storeId: store.id,
    from: { role: 'finance', storeId: null },
    to: { role: 'store_admin', storeId: store.id },
  });
});

t.test('the last active owner goes only by ADMIN_KEY, also when two go at once', async (t) => {
  const { body: key } = await admin('/admin/keys', { body: { name: 'k', role: 'owner' } });
  const owners = [];
  for (const one of ['e', 'f']) {
    const { body } = await make({ name: one, email: `${one}@loja.example`, role: 'owner' });
    owners.push(body.id);
  }
  const answers = await Promise.all(owners.map((id) => change(id, { role: 'viewer' }, key.key)));
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 409]);
  const { items } = (await admin('/admin/accounts')).body;
  const [{ id }] = items.filter(({ role }: { role: string }) => role === 'owner');
  const last = 'Esta é a última conta ativa de proprietário. Crie outra antes.';
  isError(t, await change(id, { active: false }, key.key), 409, last);
  t.equal((await change(id, { name: 'Eva' }, key.key)).status, 200);
  t.equal((await change(id, { active: false })).status, 200, 'the key of last resort may');
});

t.test('who may not', async (t) => {
  const { body: key } = await admin('/admin/keys', { body: { name: 'o', role: 'operator' } });
  for (const answer of [
    await make({ name: 'x', email: 'z@loja.example', role: 'viewer' }, key.key),
    await change(nobody, {}, key.key),
    await admin('/admin/accounts', { token: key.key }),
  ])
    isError(t, answer, 403, 'Seu perfil não permite esta operação.');
});

t.test('an account that is activated while it is erased stays as it is', async (t) => {
  const email = 'hana@loja.example';
  const { body: account } = await make({ name: 'Hana', email, role: 'viewer' });
  await change(account.id, { active: false });
  const { erased } = await db.transaction().execute(async (trx) => {
    await trx.updateTable('accounts').set({ active: true }).where('id', '=', account.id).execute();
    const erased = admin('/admin/erasures', { body: { email } });
    await untilWaiting(system.env.DATABASE_URL ?? '', 1);
    return { erased };
  });
  isError(t, await erased, 409, 'Esta pessoa tem uma conta ativa. Desative a conta antes.');
  const { items } = (await admin('/admin/accounts')).body;
  t.match(
    items.find(({ id }: { id: string }) => id === account.id),
    { name: 'Hana', email, active: true },
  );
});

t.test('an erasure takes the account of a person who signs in no more', async (t) => {
  const email = 'gil@loja.example';
  const { body: account } = await make({ name: 'Gil', email, role: 'viewer' });
  const erase = () => admin('/admin/erasures', { body: { email: 'GIL@loja.example' } });
  const id = newId();
  const facts = { change: 'active', active: true, name: 'Gil', at: now.toISOString(), origin: null } as const;
  const mail = { id, kind: 'access_changed', accountId: account.id, link: null, now } as const;
  await writePersonalMail(db, { ...mail, to: 'Gil@loja.example', facts });
  t.match((await admin(`/admin/personal-data?email=${email}`)).body, {
    account: { id: account.id, name: 'Gil' },
    notices: [{ id, to: 'Gil@loja.example', kind: 'access_changed' }],
  });
  isError(t, await erase(), 409, 'Esta pessoa tem uma conta ativa. Desative a conta antes.');
  await change(account.id, { active: false });
  t.equal((await erase()).status, 202);
  t.notMatch(JSON.stringify(await db.selectFrom('accounts').selectAll().execute()), /gil/i);
  t.match((await admin(`/admin/personal-data?email=${email}`)).body, {
    account: null,
    payments: [],
    notices: [],
  });
  t.equal((await make({ name: 'Gil', email, role: 'viewer' })).status, 201, 'who comes back is invited anew');
});
