import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError, isoDateTime, uuidV7 } from '../../public/payments/expectations.ts';

/** Tokens from generation to expiry, with a fake clock. */
let clock = new Date();
const after = (seconds: number) => new Date(clock.getTime() + seconds * 1_000);
const system = await startSystem({ dispatcher: false, now: () => clock });
t.teardown(system.stop);
const { admin } = system;
const newStore = async () => (await admin('/admin/stores', { body: { name: 'Loja' } })).body.id as string;
const generate = (storeId: string, body: unknown = {}) => admin(`/admin/stores/${storeId}/tokens`, { body });
const use = (token: string) => system.api('/api-public/payments', { token });

const invalid = 'Token inválido ou expirado.';
const superseded = 'Apenas o token mais recente é válido.';

t.test('a token is shown once', async (t) => {
  const storeId = await newStore();
  const { status, body } = await generate(storeId);
  t.equal(status, 201);
  t.strictSame(Object.keys(body).sort(), ['createdAt', 'expiresAt', 'id', 'token']);
  t.match(body.id, uuidV7);
  t.match(body.token, /^pp_[A-Za-z0-9_-]{43}$/);
  t.match(body.createdAt, isoDateTime);
  t.equal(body.expiresAt, null);
  const { items } = (await admin(`/admin/stores/${storeId}/tokens`)).body;
  const { token: _secret, ...shown } = body;
  t.strictSame(
    items,
    [{ ...shown, deactivatedAt: null, supersededAt: null, lastUsedAt: null }],
    'and listed without it',
  );
});

t.test('nothing but a hash of it is in the database', async (t) => {
  const { body } = await generate(await newStore());
  const rows = await system.db.selectFrom('tokens').selectAll().where('id', '=', body.id).execute();
  t.equal(rows[0]?.hash.length, 32);
  t.notMatch(JSON.stringify(rows), body.token.slice(3));
});

t.test('a body is optional', async (t) => {
  const storeId = await newStore();
  for (const body of ['', 'null', '{}', '{"expiresAt":null}', '{"extra":1}'])
    t.match((await generate(storeId, body)).body, { expiresAt: null });
  t.equal((await admin(`/admin/stores/${storeId}/tokens`, { method: 'POST' })).status, 201);
});

const times: [expiresAt: string, instant: string][] = [
  ['2199-12-31T23:59:59Z', '2199-12-31T23:59:59.000Z'],
  ['2199-12-31T23:59:59.5Z', '2199-12-31T23:59:59.500Z'],
  ['2199-12-31T21:00:00-03:00', '2200-01-01T00:00:00.000Z'],
  ['2196-02-29T00:00Z', '2196-02-29T00:00:00.000Z'],
];
for (const [expiresAt, instant] of times) {
  t.test(`expiresAt ${expiresAt}`, async (t) => {
    const { status, body } = await generate(await newStore(), { expiresAt });
    t.equal(status, 201);
    t.equal(body.expiresAt, instant);
  });
}

const badTime = 'expiresAt must be a valid ISO 8601 date string';
const refused: [body: unknown, message: string][] = [
  ...['', 'x', 'tomorrow', '2199', '2199-01-01', '2199-01-01T00:00:00', '1', '2199-13-01T00:00:00Z'].map(
    (expiresAt): [unknown, string] => [{ expiresAt }, badTime],
  ),
  ...[
    '2199-02-30T00:00:00Z',
    '2199-01-01T25:00:00Z',
    '2199-01-01T00:00:00+99:99',
    ' 2199-01-01T00:00:00Z',
  ].map((expiresAt): [unknown, string] => [{ expiresAt }, badTime]),
  ...['-271821-04-20T00:00:00Z', '+275760-09-13T00:00:00Z'].map((expiresAt): [unknown, string] => [
    { expiresAt },
    badTime,
  ]),
  [{ expiresAt: 7 }, 'expiresAt must be a string'],
  [{ expiresAt: {} }, 'expiresAt must be a string'],
  ['[]', 'body must be an object'],
  ['7', 'body must be an object'],
];
for (const [body, message] of refused) {
  t.test(`refused: ${JSON.stringify(body)}`, async (t) => {
    const storeId = await newStore();
    isError(t, await generate(storeId, body), 400, message);
    t.strictSame((await admin(`/admin/stores/${storeId}/tokens`)).body.items, []);
  });
}

t.test('20 rotations at once leave exactly one token valid, each for the very next request', async (t) => {
  const storeId = await newStore();
  const made = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const { body } = await generate(storeId);
      const answer = await use(body.token);
      // A new token is valid at once, or superseded by a faster rotation, but never unknown.
      if (answer.status !== 200) t.equal(answer.body.message, superseded);
      return body.token as string;
    }),
  );
  const answers = await Promise.all(made.map(use));
  t.equal(answers.filter(({ status }) => status === 200).length, 1);
  for (const answer of answers.filter(({ status }) => status !== 200)) isError(t, answer, 401, superseded);
  const { items } = (await admin(`/admin/stores/${storeId}/tokens`)).body;
  t.equal(items.filter((token: { supersededAt: string | null }) => !token.supersededAt).length, 1);
});

t.test('a rotation holds for the very next request', async (t) => {
  const storeId = await newStore();
  let { token: previous } = (await generate(storeId)).body;
  for (let n = 0; n < 5; n += 1) {
    const { token } = (await generate(storeId)).body;
    const [old, fresh] = await Promise.all([use(previous), use(token)]);
    isError(t, old, 401, superseded);
    t.equal(fresh.status, 200);
    previous = token;
  }
});

t.test('expiry', async (t) => {
  const storeId = await newStore();
  const { body } = await generate(storeId, { expiresAt: after(60).toISOString() });
  clock = after(59.999);
  t.equal((await use(body.token)).status, 200, 'a millisecond before');
  clock = after(0.001);
  isError(t, await use(body.token), 401, invalid);
  for (const expiresAt of [after(-1), clock])
    isError(
      t,
      await generate(storeId, { expiresAt: expiresAt.toISOString() }),
      400,
      'expiresAt must be in the future',
    );
  t.equal((await use((await generate(storeId)).body.token)).status, 200, 'a new one replaces it');
});

t.test('deactivation holds for the very next request', async (t) => {
  const storeId = await newStore();
  const { body } = await generate(storeId);
  const path = `/admin/stores/${storeId}/tokens/${body.id}`;
  t.equal((await use(body.token)).status, 200);
  const answer = await admin(path, { method: 'DELETE' });
  t.equal(answer.status, 204);
  t.equal(answer.text, '');
  isError(t, await use(body.token), 401, invalid);
  const [shown] = (await admin(`/admin/stores/${storeId}/tokens`)).body.items;
  clock = after(60);
  t.equal((await admin(path, { method: 'DELETE' })).status, 204, 'again');
  const [again] = (await admin(`/admin/stores/${storeId}/tokens`)).body.items;
  t.equal(again.deactivatedAt, shown.deactivatedAt, 'keeps the first time');
  t.equal((await use((await generate(storeId)).body.token)).status, 200, 'a new one replaces it');
});

t.test('superseded beats expired and deactivated', async (t) => {
  const storeId = await newStore();
  const expiring = (await generate(storeId, { expiresAt: after(10).toISOString() })).body;
  const dropped = (await generate(storeId)).body;
  await admin(`/admin/stores/${storeId}/tokens/${dropped.id}`, { method: 'DELETE' });
  await generate(storeId);
  clock = after(20);
  isError(t, await use(expiring.token), 401, superseded);
  isError(t, await use(dropped.token), 401, superseded);
});

t.test('a bad token of an inactive store says nothing about the store', async (t) => {
  const storeId = await newStore();
  const old = (await generate(storeId)).body;
  const expired = (await generate(storeId, { expiresAt: after(10).toISOString() })).body;
  clock = after(20);
  await admin(`/admin/stores/${storeId}`, { method: 'PATCH', body: { active: false } });
  isError(t, await use(old.token), 401, superseded);
  isError(t, await use(expired.token), 401, invalid);
  isError(t, await use((await generate(storeId)).body.token), 403, 'Loja inativa.');
});

t.test('a token that is not the store’s, or not there', async (t) => {
  const [mine, theirs] = [await newStore(), await newStore()];
  const { body } = await generate(theirs);
  for (const id of [body.id, '0190a5b0-0000-7000-8000-000000000000', 'x', '%00']) {
    const answer = await admin(`/admin/stores/${mine}/tokens/${id}`, { method: 'DELETE' });
    isError(t, answer, 404, 'Token não encontrado.');
  }
  t.equal((await use(body.token)).status, 200, 'goes on working');
});

t.test('tokens are listed newest first', async (t) => {
  const storeId = await newStore();
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) ids.unshift((await generate(storeId)).body.id);
  const { items } = (await admin(`/admin/stores/${storeId}/tokens`)).body;
  t.strictSame(
    items.map(({ id }: { id: string }) => id),
    ids,
  );
});
