import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError } from '../../public/payments/expectations.ts';

/** Keys of programs: named, with a role, shown once, hashed, deleted (Contract: roles). */
let now = new Date('2026-11-23T12:00:00Z');
const system = await startSystem({ dispatcher: false, now: () => now });
t.teardown(system.stop);
const { admin, createStore } = system;
const store = await createStore();
const make = (body: object) => admin('/admin/keys', { body });
const read = (token: string) => admin('/admin/payments', { token });

t.test('a key is shown once, works, and says when it was used', async (t) => {
  const { status, body } = await make({ name: 'ERP', role: 'finance' });
  t.equal(status, 201);
  t.strictSame(Object.keys(body).sort(), ['createdAt', 'expiresAt', 'id', 'key', 'name', 'role', 'storeId']);
  t.equal((await read(body.key)).status, 200);
  const { items } = (await admin('/admin/keys')).body;
  t.match(items, [
    { id: body.id, name: 'ERP', role: 'finance', storeId: null, lastUsedAt: now.toISOString() },
  ]);
  t.notOk('key' in items[0]);
  const { rows } = { rows: await system.db.selectFrom('keys').selectAll().execute() };
  t.notOk(JSON.stringify(rows).includes(body.key.slice(4)));
});

t.test('deleted or expired, it fails from the next request on', async (t) => {
  const { body: key } = await make({ name: 'x', role: 'viewer' });
  t.equal((await admin(`/admin/keys/${key.id}`, { method: 'DELETE' })).status, 204);
  isError(t, await read(key.key), 401, 'Chave de administração inválida.');
  isError(t, await admin(`/admin/keys/${key.id}`, { method: 'DELETE' }), 404, 'Chave não encontrada.');
  const { body: short } = await make({ name: 'y', role: 'viewer', expiresAt: '2026-11-23T12:01:00Z' });
  t.equal((await read(short.key)).status, 200);
  now = new Date('2026-11-23T12:01:00Z');
  t.equal((await read(short.key)).status, 401);
});

t.test('wrong input', async (t) => {
  const cases: [object, number, string][] = [
    [{ role: 'viewer' }, 400, 'name must be a string'],
    [{ name: ' ', role: 'viewer' }, 400, 'name should not be empty'],
    [{ name: 'x', role: 'store_admin' }, 400, 'storeId should not be empty'],
    [{ name: 'x', role: 'owner', storeId: store.id }, 400, 'storeId should be empty'],
    [{ name: 'x', role: 'store_admin', storeId: 'x' }, 400, 'storeId must be a UUID'],
    [
      { name: 'x', role: 'viewer', expiresAt: '2020-01-01T00:00:00Z' },
      400,
      'expiresAt must be in the future',
    ],
    [
      { name: 'x', role: 'store_viewer', storeId: '0190a5b0-0000-7000-8000-000000000000' },
      404,
      'Loja não encontrada.',
    ],
  ];
  for (const [body, status, message] of cases) isError(t, await make(body), status, message);
  const { status, body } = await make({ name: 'x', role: 'king' });
  t.equal(status, 400);
  t.match(body.message, /^role must be one of the following values: owner, operator/);
});

t.test('who may not, and who is nobody', async (t) => {
  const { body: viewer } = await make({ name: 'v', role: 'viewer' });
  isError(t, await admin('/admin/keys', { token: viewer.key }), 403, 'Seu perfil não permite esta operação.');
  t.equal((await admin('/admin/keys', { token: 'ppk_nobody' })).status, 401);
});
