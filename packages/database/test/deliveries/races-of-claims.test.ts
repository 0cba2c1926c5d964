import { randomUUID } from 'node:crypto';
import { pauseOn } from '@payments/testing/pause';
import t, { type Test } from 'tap';
import type { Database } from '../../src/connection.ts';
import { claimDeliveries } from '../../src/deliveries/claim.ts';
import { readDue } from '../../src/deliveries/due.ts';
import { renewLease } from '../../src/deliveries/leases.ts';
import { readAttempts } from '../../src/deliveries/list.ts';
import { eraseAllCopies } from '../../src/erasure/personal-data.ts';
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

t.test('race: a claim leaves what a dispatcher with a newer lease has claimed since it began', async (t) => {
  const { db, url } = await scene(t);
  await addPayment(db, await addStore(db));
  const [probed, wanted] = await db.selectFrom('deliveries').selectAll().orderBy('id').execute();
  const failing = { failures: 2, openings: 1, failingSince: new Date(0), openUntil: new Date(0) };
  const { endpoint, storeId } = probed!;
  await db
    .insertInto('failingEndpoints')
    .values({ id: endpoint, storeId, url: probed!.url, ...failing })
    .execute();
  const pause = await pauseOn(url, 'before update on failing_endpoints');
  const claiming = claim(db);
  // It holds its snapshot, and waits at the row of the endpoint that it is to probe.
  await pause.reached();
  const other = randomUUID();
  await renewLease(db, other, 60_000);
  const deliveries = (await readDue(db, 10)).filter(({ id }) => id === wanted!.id);
  const taken = await claimDeliveries(db, { dispatcherId: other, deliveries, probeMs: 60_000 });
  t.match(taken, [{ id: wanted!.id, attempt: 1 }]);
  await pause.end();
  t.match(await claiming, [{ id: probed!.id }]);
  t.equal((await claiming).length, 1);
  t.same((await readAttempts(db, [wanted!.id])).get(wanted!.id), [], 'no attempt counts as lost');
  t.equal(await record(db, taken[0]!, outcome), true);
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

t.test('an erasure during two attempts: neither record keeps what the receiver answered', async (t) => {
  const { db } = await scene(t);
  const [lost] = await claim(db);
  await endLeases(db);
  const [held] = await claim(db);
  await eraseAllCopies(db, [held!.paymentId]);
  const told = { ...failure, attempt: { ...failure.attempt, responseExcerpt: 'no order of Maria' } };
  t.equal(await record(db, held!, told), true);
  t.equal(await record(db, lost!, told), false);
  const attempts = (await readAttempts(db, [held!.id])).get(held!.id);
  t.match(attempts, [
    { number: 1, statusCode: 500, responseExcerpt: null },
    { number: 2, statusCode: 500, responseExcerpt: null },
  ]);
});
