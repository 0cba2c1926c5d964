import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { eventually, startSystem } from '@payments/testing/system';
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

type Key = { id: string; key: string };

/** Sends a request's headers, and its body once the key was read and `meanwhile` is done. */
async function heldBack({ id, key }: Key, path: string, given: object, meanwhile: () => unknown) {
  const body = JSON.stringify(given);
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': body.length,
  };
  const sent = request(system.adminUrl + path, { method: 'POST', headers });
  sent.flushHeaders();
  // A first use is written at once: then the headers have been judged.
  const row = system.db.selectFrom('keys').select('lastUsedAt').where('id', '=', id);
  const used = async () => (await row.executeTakeFirstOrThrow()).lastUsedAt ?? undefined;
  await eventually('the key to be read', used);
  await meanwhile();
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, body: (await json(answer)) as { message?: string } };
}

const pass = (ms: number) => {
  now = new Date(now.getTime() + ms);
};
const wrongKey = [401, 'Chave de administração inválida.'] as const;
const endings: [name: string, end: (key: Key) => unknown, refusal?: readonly [number, string]][] = [
  ['goes on', () => {}],
  ['is deleted', ({ id }) => admin(`/admin/keys/${id}`, { method: 'DELETE' }), wrongKey],
  ['expires', () => pass(3_600_000), wrongKey],
  [
    'loses its role',
    ({ id }) => system.db.updateTable('keys').set({ role: 'viewer' }).where('id', '=', id).execute(),
    [403, 'Seu perfil não permite esta operação.'],
  ],
];
const person = { name: 'Ana', email: 'ana@loja.example', role: 'viewer' };
const account = (await admin('/admin/accounts', { body: person })).body;

for (const [name, end, refusal] of endings)
  t.test(`a change that is held back while its key ${name}`, async (t) => {
    const expiresAt = new Date(now.getTime() + 3_600_000);
    for (const [path, body] of [
      ['/admin/keys', { name: `Chave que ${name}`, role: 'owner' }],
      [`/admin/accounts/${account.id}/invitation`, {}],
    ] as const) {
      const key = (await make({ name: 'ERP', role: 'owner', expiresAt })).body;
      const answer = await heldBack(key, path, body, () => end(key));
      if (refusal) t.same([answer.status, answer.body.message], refusal, path);
      else t.match(answer.status, /^20/, path);
      if (name === 'expires') pass(-3_600_000);
    }
    const made = await system.db
      .selectFrom('keys')
      .where('name', '=', `Chave que ${name}`)
      .select('id')
      .execute();
    t.equal(made.length, refusal ? 0 : 1);
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
