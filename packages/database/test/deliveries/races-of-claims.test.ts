import { pauseOn } from '@payments/testing/pause';
import t, { type Test } from 'tap';
import type { Database } from '../../src/connection.ts';
import { claimDue as claim, endLeases, failed, delivered as outcome, record } from '../attempts.ts';
import { addPayment, addStore, openDatabase } from '../rows.ts';

const failure = { ...failed, retryInMs: 1_000 };

const stateOf = async (db: Database) =>
  db.selectFrom('deliveries').select(['state', 'attempts', 'claimedBy']).executeTakeFirstOrThrow();

/** A database with one due delivery. */
async function scene(t: Test) {
  const { db, url } = await openDatabase(t);
  await addPayment(db, await addStore(db));
  return { db, url };
}

t.test('of four dispatchers that claim a delivery at once, one gets it', async (t) => {
  const { db } = await scene(t);
  const claims = await Promise.all(Array.from({ length: 4 }, () => claim(db)));
  t.equal(claims.flat().length, 1);
});

t.test('race: a delivery that one dispatcher is claiming can’t be claimed by another', async (t) => {
  const { db, url } = await scene(t);
  const pause = await pauseOn(url, 'after update on deliveries', 'new.claimed_by is not null');
  const claiming = claim(db);
  await pause.reached();
  t.same(await claim(db), [], 'the other one does not wait');
  await pause.end();
  t.equal((await claiming).length, 1);
  t.same(await claim(db), []);
});

t.test('race: an outcome is ignored while its delivery is claimed again', async (t) => {
  const { db, url } = await scene(t);
  const [lost] = await claim(db);
  await endLeases(db);
  const pause = await pauseOn(url, 'after update on deliveries', 'new.claimed_by is not null');
  const claiming = claim(db);
  await pause.reached();
  const recording = record(db, lost!, failure);
  await pause.waiters(2);
  await pause.end();
  const [held] = await claiming;
  t.equal(await recording, false, 'it waited, and saw the new claim');
  t.match(await stateOf(db), { state: 'pending', attempts: 2, claimedBy: held!.claimedBy });
  t.equal(await record(db, held!, outcome), true);
  t.match(await stateOf(db), { state: 'delivered', attempts: 2 });
});

t.test('race: a delivery whose outcome is being recorded is not claimed, even after its lease', async (t) => {
  const { db, url } = await scene(t);
  const [held] = await claim(db);
  await endLeases(db);
  const pause = await pauseOn(url, 'after update on deliveries', "new.state = 'delivered'");
  const recording = record(db, held!, outcome);
  await pause.reached();
  t.same(await claim(db), [], 'nobody sends it again');
  await pause.end();
  t.equal(await recording, true);
  t.same(await claim(db), []);
});

t.test('race: a late outcome does not reopen what the next claim delivered', async (t) => {
  const { db, url } = await scene(t);
  const [lost] = await claim(db);
  await endLeases(db);
  const [held] = await claim(db);
  const pause = await pauseOn(url, 'after update on deliveries', "new.state = 'delivered'");
  const recording = record(db, held!, outcome);
  await pause.reached();
  const late = record(db, lost!, failure);
  await pause.end();
  t.equal(await recording, true);
  t.equal(await late, false, 'whether it waited or not');
  t.match(await stateOf(db), { state: 'delivered', attempts: 2, claimedBy: null });
});
