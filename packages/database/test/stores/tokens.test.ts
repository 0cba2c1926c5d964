import { newId } from '@payments/domain/identifiers';
import { judgeToken, newToken, tokenHash } from '@payments/domain/tokens';
import t from 'tap';
import type { Database } from '../../src/connection.ts';
import { findToken } from '../../src/stores/authentication.ts';
import { deactivateToken, listTokens, rotateToken } from '../../src/stores/tokens.ts';
import { addStore, openDatabase } from '../rows.ts';

const rotate = (db: Database, storeId: string, token: string, id = newId()) =>
  rotateToken(db, { id, storeId, hash: tokenHash(token), createdAt: new Date(), expiresAt: null });

t.test('thirty concurrent rotations of one store leave one valid token and lose none', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const tokens = Array.from({ length: 30 }, newToken);
  const rotations = tokens.map((token) => rotate(db, storeId, token));
  t.same(new Set(await Promise.all(rotations)), new Set([true]), 'every rotation succeeds');

  const verdicts = await Promise.all(
    tokens.map(async (token) => judgeToken((await findToken(db, tokenHash(token)))?.token, new Date())),
  );
  t.equal(verdicts.filter((verdict) => verdict === 'valid').length, 1);
  t.equal(verdicts.filter((verdict) => verdict === 'superseded').length, 29);
  t.equal((await listTokens(db, storeId)).filter((token) => token.supersededAt === null).length, 1);
});

t.test('the next read on every connection sees a rotation', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const old = newToken();
  await rotate(db, storeId, old);
  for (let round = 0; round < 5; round += 1) {
    await rotate(db, storeId, newToken());
    const reads = await Promise.all(Array.from({ length: 10 }, () => findToken(db, tokenHash(old))));
    t.ok(reads.every((read) => judgeToken(read?.token, new Date()) === 'superseded'));
  }
});

t.test(
  'look-ups at once: each gets its own token’s store, a repeated token too, and an unknown one none',
  async (t) => {
    const { db } = await openDatabase(t);
    const [one, other] = [await addStore(db), await addStore(db)];
    const [ofOne, ofOther] = [newToken(), newToken()];
    await rotate(db, one, ofOne);
    await rotate(db, other, ofOther);
    const asked = [ofOther, ofOne, newToken(), ofOther, ofOne, ofOne];
    const found = await Promise.all(asked.map((token) => findToken(db, tokenHash(token))));
    t.same(
      found.map((each) => each?.store.id),
      [other, one, undefined, other, one, one],
    );
  },
);

t.test('the newest hundred tokens are listed', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const ids = Array.from({ length: 101 }, () => newId());
  for (const id of ids) await rotate(db, storeId, newToken(), id);
  t.same(
    (await listTokens(db, storeId)).map(({ id }) => id),
    ids.slice(1).reverse(),
  );
});

t.test('rotations of one store don’t wait for another store', async (t) => {
  const { db } = await openDatabase(t);
  const [one, other] = [await addStore(db), await addStore(db)];
  await db.transaction().execute(async (trx) => {
    await trx.selectFrom('stores').select('id').where('id', '=', one).forUpdate().execute();
    t.equal(await rotate(db, other, newToken()), true);
  });
});

t.test('a missing store gets no token', async (t) => {
  const { db } = await openDatabase(t);
  t.equal(await rotate(db, newId(), 'x'), false);
});

t.test('only its own store deactivates a token, and the first time stays', async (t) => {
  const { db } = await openDatabase(t);
  const [storeId, other] = [await addStore(db), await addStore(db)];
  const [id, token, first] = [newId(), newToken(), new Date('2026-01-01T00:00:00Z')];
  await rotate(db, storeId, token, id);
  t.equal(await deactivateToken(db, { id, storeId: other, now: first }), undefined);
  t.same(await deactivateToken(db, { id, storeId, now: first }), { isNew: true });
  t.same(await deactivateToken(db, { id, storeId, now: new Date() }), { isNew: false });
  t.same((await findToken(db, tokenHash(token)))?.token.deactivatedAt, first);
});
