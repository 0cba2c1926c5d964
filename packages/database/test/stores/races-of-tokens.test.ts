import { newId } from '@payments/domain/identifiers';
import { judgeToken, newToken, tokenHash } from '@payments/domain/tokens';
import { pauseOn } from '@payments/testing/pause';
import t, { type Test } from 'tap';
import { findToken } from '../../src/stores/authentication.ts';
import { deactivateToken, rotateToken } from '../../src/stores/tokens.ts';
import { addStore, openDatabase } from '../rows.ts';

/** A store with a token, and a new token for it. */
async function scene(t: Test) {
  const { db, url } = await openDatabase(t);
  const storeId = await addStore(db);
  const rotate = (token: string) =>
    rotateToken(db, { id: newId(), storeId, hash: tokenHash(token), createdAt: new Date(), expiresAt: null });
  const verdictOf = async (token: string) =>
    judgeToken((await findToken(db, tokenHash(token)))?.token, new Date());
  const first = newToken();
  await rotate(first);
  return { db, url, storeId, rotate, verdictOf, first };
}

t.test('race: the old token is the newest until the rotation commits', async (t) => {
  const { url, rotate, verdictOf, first } = await scene(t);
  const second = newToken();
  const pause = await pauseOn(url, 'after insert on tokens');
  const rotating = rotate(second);
  await pause.reached();
  t.equal(await verdictOf(first), 'valid', 'the new token has not been shown yet');
  t.equal(await verdictOf(second), 'invalid');
  await pause.end();
  t.equal(await rotating, true);
  t.equal(await verdictOf(first), 'superseded');
  t.equal(await verdictOf(second), 'valid');
});

t.test('race: a rotation waits for a concurrent one, and supersedes its token', async (t) => {
  const { url, rotate, verdictOf, first } = await scene(t);
  const [second, third] = [newToken(), newToken()];
  const pause = await pauseOn(url, 'after insert on tokens');
  const rotations = [rotate(second)];
  await pause.reached();
  rotations.push(rotate(third));
  await pause.waiters(2);
  await pause.end();
  t.same(await Promise.all(rotations), [true, true], 'both succeed');
  t.same(
    await Promise.all([first, second, third].map(verdictOf)),
    ['superseded', 'superseded', 'valid'],
    'the token of the last response is the newest',
  );
});

t.test('race: a token that is deactivated while it is being superseded is both', async (t) => {
  const { db, url, storeId, rotate, verdictOf, first } = await scene(t);
  const { tokenId } = (await findToken(db, tokenHash(first)))!;
  const pause = await pauseOn(url, 'after insert on tokens');
  const rotating = rotate(newToken());
  await pause.reached();
  const deactivating = deactivateToken(db, { id: tokenId, storeId, now: new Date() });
  await pause.waiters(2);
  await pause.end();
  t.equal(await rotating, true);
  t.same(await deactivating, { isNew: true });
  const found = (await findToken(db, tokenHash(first)))!;
  t.ok(found.token.supersededAt && found.token.deactivatedAt, 'neither is lost');
  t.equal(await verdictOf(first), 'superseded', 'superseded comes first (Contract: newest token)');
});
