import { newId } from '@payments/domain/identifiers';
import { judgeToken, newToken, tokenHash } from '@payments/domain/tokens';
import t from 'tap';
import { findToken } from '../src/authentication.ts';
import { deactivateToken, listTokens, rotateToken } from '../src/tokens.ts';
import { addStore, openDatabase } from './rows.ts';

t.test('thirty rotations of one store at once leave one valid token and none lost', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const tokens = Array.from({ length: 30 }, newToken);
  const rotations = tokens.map((token) =>
    rotateToken(db, { id: newId(), storeId, hash: tokenHash(token), now: new Date(), expiresAt: null }),
  );
  t.same(new Set(await Promise.all(rotations)), new Set([true]), 'every rotation succeeds');

  const verdicts = await Promise.all(
    tokens.map(async (token) => judgeToken((await findToken(db, tokenHash(token)))?.token, new Date())),
  );
  t.equal(verdicts.filter((verdict) => verdict === 'valid').length, 1);
  t.equal(verdicts.filter((verdict) => verdict === 'superseded').length, 29);
  t.equal((await listTokens(db, storeId)).filter((token) => token.supersededAt === null).length, 1);
});

t.test('a rotation holds for the very next read, on every connection', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const rotate = async () => {
    const token = newToken();
    await rotateToken(db, {
      id: newId(),
      storeId,
      hash: tokenHash(token),
      now: new Date(),
      expiresAt: null,
    });
    return token;
  };
  const old = await rotate();
  for (let round = 0; round < 5; round += 1) {
    await rotate();
    const reads = await Promise.all(Array.from({ length: 10 }, () => findToken(db, tokenHash(old))));
    t.ok(reads.every((read) => judgeToken(read?.token, new Date()) === 'superseded'));
  }
});

t.test('rotations of one store wait for no other store', async (t) => {
  const { db } = await openDatabase(t);
  const [one, other] = [await addStore(db), await addStore(db)];
  await db.transaction().execute(async (trx) => {
    await trx.selectFrom('stores').select('id').where('id', '=', one).forUpdate().execute();
    const done = await rotateToken(db, {
      id: newId(),
      storeId: other,
      hash: tokenHash(newToken()),
      now: new Date(),
      expiresAt: null,
    });
    t.equal(done, true);
  });
});

t.test('a store that does not exist gets no token', async (t) => {
  const { db } = await openDatabase(t);
  const token = { id: newId(), storeId: newId(), hash: tokenHash('x'), now: new Date(), expiresAt: null };
  t.equal(await rotateToken(db, token), false);
});

t.test('a token is deactivated by its own store only, and keeps the first time', async (t) => {
  const { db } = await openDatabase(t);
  const [storeId, other] = [await addStore(db), await addStore(db)];
  const [id, hash, first] = [newId(), tokenHash(newToken()), new Date('2026-01-01T00:00:00Z')];
  await rotateToken(db, { id, storeId, hash, now: new Date(), expiresAt: null });
  t.equal(await deactivateToken(db, { id, storeId: other, now: first }), false);
  t.equal(await deactivateToken(db, { id, storeId, now: first }), true);
  t.equal(await deactivateToken(db, { id, storeId, now: new Date() }), true);
  t.same((await findToken(db, hash))?.token.deactivatedAt, first);
});
