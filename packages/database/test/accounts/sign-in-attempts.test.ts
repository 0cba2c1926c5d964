import { createTestDatabase } from '@payments/testing/database';
import t from 'tap';
import {
  type Counter,
  claimAttempt,
  forgetFailures,
  forgiveAttempt,
} from '../../src/accounts/sign-in-attempts.ts';
import { connect } from '../../src/connection.ts';

/** Tries to sign in, counted by two processes in one database. */
const { url, drop } = await createTestDatabase();
const replicas = [connect(url), connect(url)] as const;
const [db] = replicas;
t.teardown(async () => {
  await Promise.all(replicas.map((one) => one.destroy()));
  await drop();
});

const noon = new Date('2026-11-24T12:00:00Z');
const later = (seconds: number) => new Date(noon.getTime() + seconds * 1_000);
const own = (name: string): Counter => ({ key: Buffer.from(`own ${name}`), free: 5 });
const shared = (name: string): Counter => ({ key: Buffer.from(`shared ${name}`), free: 20 });
const together = (count: number, counters: (index: number) => Counter[], now = noon) =>
  Promise.all(
    Array.from({ length: count }, (_, index) => claimAttempt(replicas[index % 2]!, counters(index), now)),
  );
const rows = async () => (await db.selectFrom('signInFailures').selectAll().execute()).length;

t.test('tries at the same time, of two processes: the free ones and no more', async (t) => {
  const waits = await together(60, () => [own('a')]);
  t.equal(waits.filter((wait) => wait === 0).length, 5);
  t.same(new Set(waits), new Set([0, 1_000]));
});

t.test('after the free ones, one at a time, and each twice as late', async (t) => {
  t.equal((await together(20, () => [own('a')], later(1))).filter((wait) => wait === 0).length, 1);
  t.same(await together(2, () => [own('a')], later(2)), [1_000, 1_000]);
  t.equal((await together(20, () => [own('a')], later(3))).filter((wait) => wait === 0).length, 1);
  t.same(await together(1, () => [own('a')], later(3_603)), [0], 'an hour later they are forgotten');
});

t.test('one address and many names: no more than it may, and rows for no others', async (t) => {
  const before = await rows();
  const waits = await together(100, (index) => [shared('b'), own(`b${index}`)]);
  t.equal(waits.filter((wait) => wait === 0).length, 20);
  t.equal(await rows(), before + 21, 'one of each that was judged, and the address’s');
  const after = await rows();
  await together(50, (index) => [shared('b'), own(`c${index}`)]);
  t.equal(await rows(), after, 'who must wait leaves none');
});

t.test('a right try is taken out of the counts', async (t) => {
  for (let n = 0; n < 5; n += 1) await claimAttempt(db, [shared('d'), own('d')], noon);
  await forgiveAttempt(db, { forgiven: own('d').key, shared: shared('d').key });
  const left = await db
    .selectFrom('signInFailures')
    .select('count')
    .where('key', '=', shared('d').key)
    .execute();
  t.same(left, [{ count: 4 }]);
  t.equal(await claimAttempt(db, [shared('d'), own('d')], noon), 0);
});

t.test('what counts no more is removed, a batch at a time', async (t) => {
  await db.deleteFrom('signInFailures').execute();
  for (const seconds of [0, 1, 2, 3_000]) await claimAttempt(db, [own(`e${seconds}`)], later(seconds));
  t.equal(await forgetFailures(db, { now: later(3_599), limit: 10 }), 0);
  t.equal(await forgetFailures(db, { now: later(3_602), limit: 2 }), 2);
  t.equal(await forgetFailures(db, { now: later(3_602), limit: 2 }), 1);
  t.equal(await rows(), 1);
});
