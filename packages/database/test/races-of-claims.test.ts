import { pauseOn } from '@payments/testing/pause';
import { sql } from 'kysely';
import t, { type Test } from 'tap';
import type { Database } from '../src/connection.ts';
import { renewLeases } from '../src/deliveries/leases.ts';
import { claimDue as claim, failed, delivered as outcome, record } from './attempts.ts';
import { addPayment, addStore, letReservationsEnd, openDatabase } from './rows.ts';

const failure = { ...failed, retryInMs: 1_000 };

const endLeases = (db: Database) => sql`update deliveries set leased_until = now()`.execute(db);
const stateOf = async (db: Database) =>
  db.selectFrom('deliveries').select(['state', 'attempts', 'claim_id']).executeTakeFirstOrThrow();

/** One delivery that is due. */
async function scene(t: Test) {
  const { db, url } = await openDatabase(t);
  await addPayment(db, await addStore(db));
  await letReservationsEnd(db);
  return { db, url };
}

t.test('race: while one dispatcher claims a delivery no other one can', async (t) => {
  const { db, url } = await scene(t);
  const pause = await pauseOn(url, 'after update on deliveries', 'new.claim_id is not null');
  const claiming = claim(db);
  await pause.reached();
  t.same(await claim(db), [], 'it does not wait either');
  await pause.end();
  t.equal((await claiming).length, 1);
  t.same(await claim(db), []);
});

t.test('race: an outcome that comes as its lease is being taken over counts no more', async (t) => {
  const { db, url } = await scene(t);
  const [lost] = await claim(db);
  await endLeases(db);
  const pause = await pauseOn(url, 'after update on deliveries', 'new.claim_id is not null');
  const claiming = claim(db);
  await pause.reached();
  const recording = record(db, lost!, failure);
  await pause.waiters(2);
  await pause.end();
  const [held] = await claiming;
  t.equal(await recording, false, 'it waited, and saw the new claim');
  t.match(await stateOf(db), { state: 'pending', attempts: 2, claim_id: held!.claimId });
  t.equal(await record(db, held!, outcome), true);
  t.match(await stateOf(db), { state: 'delivered', attempts: 2 });
});

t.test(
  'race: a delivery whose outcome is being recorded is not claimed, though its lease is over',
  async (t) => {
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
  },
);

t.test('race: a late outcome does not open again what was delivered under the next lease', async (t) => {
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
  t.match(await stateOf(db), { state: 'delivered', attempts: 2, claim_id: null });
});

t.test('race: a lease that is renewed as another one takes it over is not', async (t) => {
  const { db, url } = await scene(t);
  const [lost] = await claim(db);
  await endLeases(db);
  const pause = await pauseOn(url, 'after update on deliveries', 'new.claim_id is not null');
  const claiming = claim(db);
  await pause.reached();
  await renewLeases(db, [lost!], 3_600_000);
  await pause.end();
  await claiming;
  await renewLeases(db, [lost!], 3_600_000);
  const { rows } = await sql<{ far: boolean }>`
    select leased_until > now() + interval '10 minutes' as far from deliveries`.execute(db);
  t.same(rows, [{ far: false }], 'the lease is the new one’s own');
});
