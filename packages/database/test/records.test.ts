import { sql } from 'kysely';
import t, { type Test } from 'tap';
import type { Database } from '../src/connection.ts';
import type { ClaimedDelivery } from '../src/deliveries/claim.ts';
import { readAttempts } from '../src/deliveries/list.ts';
import {
  assertDue,
  claimDue,
  claimOne,
  delivered,
  endLeases,
  failed,
  record,
  recordAll,
  unsaid,
} from './attempts.ts';
import { addPayment, addStore, eventsOf, move, openDatabase } from './rows.ts';

/** A payment that was created and then approved; its first webhook is due. */
async function approvedPayment(db: Database): Promise<[string, string]> {
  const paymentId = await addPayment(db, await addStore(db));
  await move(db, paymentId, 'approved');
  return (await eventsOf(db, paymentId)) as [string, string];
}

t.test('the follow-up is released by the first attempt, whatever its result', async (t) => {
  for (const result of [delivered, failed, { ...failed, state: 'dead' as const, retryInMs: null }]) {
    const { db } = await openDatabase(t);
    const events = await approvedPayment(db);
    t.equal(await record(db, await claimOne(db), result), true);
    await assertDue(t, db, events[1]);
  }
});

t.test(
  'an attempt whose lease was lost is logged, releases the follow-up, and changes nothing else',
  async (t) => {
    const { db } = await openDatabase(t);
    const events = await approvedPayment(db);
    const lost = await claimOne(db);
    await endLeases(db);
    const held = await claimOne(db);
    t.equal(held.attempt, 2);
    t.equal(await record(db, lost), false);
    const { state } = await db
      .selectFrom('deliveries')
      .select('state')
      .where('id', '=', lost.id)
      .executeTakeFirstOrThrow();
    t.equal(state, 'pending', 'the holder of the claim decides');
    t.equal(await record(db, held), true);
    await assertDue(t, db, events[1]);
  },
);

t.test('the record returns what a first attempt releases', async (t) => {
  const { db } = await openDatabase(t);
  await approvedPayment(db);
  t.equal((await recordAll(db, [{ delivery: await claimOne(db), ...failed }])).released, 1);
  t.equal((await recordAll(db, [{ delivery: await claimOne(db), ...failed }])).released, 0);
});

const failing = (db: Database) =>
  db.selectFrom('failingEndpoints').select(['failures', 'lastError']).execute();

/** Claimed deliveries to one endpoint. */
async function claimedMany(t: Test, count: number) {
  const { db } = await openDatabase(t);
  const store = await addStore(db);
  for (let n = 0; n < count; n += 1) await addPayment(db, store);
  return { db, claimed: await claimDue(db) };
}

t.test('an endpoint has a row only while it fails', async (t) => {
  const { db, claimed } = await claimedMany(t, 5);
  const [one, two, three, four, five] = claimed as [ClaimedDelivery, ...ClaimedDelivery[]];
  await record(db, one);
  t.same(await failing(db), []);
  await record(db, two!, unsaid);
  t.same(await failing(db), [], 'an attempt without a verdict changes nothing');
  await record(db, three!, failed);
  t.same(await failing(db), [{ failures: 1, lastError: { stage: null, code: 'status', detail: '500' } }]);
  await record(db, four!, failed);
  t.match(await failing(db), [{ failures: 2 }]);
  await record(db, five!);
  t.same(await failing(db), []);
});

t.test('of one endpoint’s attempts in a batch, the one that ended last decides', async (t) => {
  for (const [failedMs, deliveredMs] of [
    [10, 500],
    [500, 10],
  ] as const) {
    const { db, claimed } = await claimedMany(t, 4);
    const lasting = (result: typeof failed, durationMs: number) => {
      return { ...result, attempt: { ...result.attempt, durationMs } };
    };
    const outcomes = claimed.map((delivery, index) => ({
      delivery,
      ...(index % 2 === 0 ? lasting(failed, failedMs) : lasting(delivered, deliveredMs)),
    }));
    await recordAll(db, outcomes);
    t.equal((await failing(db)).length, failedMs > deliveredMs ? 1 : 0);
  }
});

t.test('concurrent first failures of one endpoint all count', async (t) => {
  const { db, claimed } = await claimedMany(t, 8);
  await Promise.all(claimed.map((delivery) => record(db, delivery, failed)));
  t.match(await failing(db), [{ failures: 8 }]);
});

/** One claimed delivery. */
async function claimedOne(t: Test) {
  const { db } = await openDatabase(t);
  await addPayment(db, await addStore(db));
  return { db, claimed: await claimOne(db) };
}

const claimAgain = async (db: Database) => {
  await sql`update deliveries set next_attempt_at = now()`.execute(db);
  await endLeases(db);
  return claimOne(db);
};

t.test('every attempt is logged, in order', async (t) => {
  const { db, claimed } = await claimedOne(t);
  const refused = { stage: 'connect' as const, code: 'connection_refused' as const };
  const results = [
    { ...failed, attempt: { ...failed.attempt, statusCode: null, error: refused } },
    { ...failed, attempt: { ...failed.attempt, statusCode: 503, responseExcerpt: 'busy “é”' } },
    delivered,
  ];
  let delivery = claimed;
  for (const [index, result] of results.entries()) {
    if (index > 0) delivery = await claimAgain(db);
    await record(db, delivery, result);
  }
  t.same(
    (await readAttempts(db, [claimed.id])).get(claimed.id),
    results.map(({ attempt }, index) => ({ number: index + 1, ...attempt })),
  );
});

t.test('an attempt that was logged as lost keeps its place when it ends after all', async (t) => {
  const { db, claimed: lost } = await claimedOne(t);
  const held = await claimAgain(db);
  t.match((await readAttempts(db, [lost.id])).get(lost.id), [
    { number: 1, error: { stage: 'lost', code: 'lost' } },
  ]);
  const outcomes = [lost, held].map((delivery) => ({ delivery, ...delivered }));
  t.same((await recordAll(db, outcomes)).held, new Set(outcomes.slice(1)));
  t.match((await readAttempts(db, [lost.id])).get(lost.id), [
    { number: 1, error: null, statusCode: 200 },
    { number: 2, error: null, statusCode: 200 },
  ]);
});
