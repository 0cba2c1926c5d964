import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import t, { type Test } from 'tap';
import type { Database } from '../src/connection.ts';
import { type AttemptRecord, recordAttempts } from '../src/deliveries/attempts.ts';
import type { ClaimedDelivery } from '../src/deliveries/claimed-delivery.ts';
import { putOffDeliveries } from '../src/deliveries/leases.ts';
import { listAttempts } from '../src/deliveries/list.ts';
import { assertDue, claimDue, claimOne, delivered, failed, record } from './attempts.ts';
import { addPayment, addStore, eventsOf, letReservationsEnd, move, openDatabase } from './rows.ts';

/** A payment that was created and then approved; its first webhook is due. */
async function approvedPayment(db: Database): Promise<[string, string]> {
  const paymentId = await addPayment(db, await addStore(db));
  await move(db, paymentId, 'approved');
  await letReservationsEnd(db);
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
  'an attempt whose lease was lost is kept, and releases the follow-up, and changes nothing else',
  async (t) => {
    const { db } = await openDatabase(t);
    const events = await approvedPayment(db);
    const lost = await claimOne(db);
    await sql`update deliveries set leased_until = now() where id = ${lost.id}`.execute(db);
    const held = await claimOne(db);
    t.equal(held.attempt, 2);
    t.equal(await record(db, lost), false);
    const { state } = await db
      .selectFrom('deliveries')
      .select('state')
      .where('id', '=', lost.id)
      .executeTakeFirstOrThrow();
    t.equal(state, 'pending', 'the one that holds the claim decides');
    t.equal(await record(db, held), true);
    await assertDue(t, db, events[1]);
  },
);

t.test('what a first attempt releases is told of', async (t) => {
  const { db } = await openDatabase(t);
  await approvedPayment(db);
  const outcomeOf = (delivery: ClaimedDelivery) => ({ delivery, record: failed, judge: () => null });
  const first = await claimOne(db);
  t.equal((await recordAttempts(db, [outcomeOf(first)])).released, 1);
  t.equal((await recordAttempts(db, [outcomeOf(await claimOne(db))])).released, 0);
});

t.test(
  'what a receiver takes is judged only where one fails, though it was well as that was claimed',
  async (t) => {
    const { db } = await openDatabase(t);
    const store = await addStore(db);
    const failing = {
      phase: 'closed',
      failures: 1,
      openings: 0,
      until: null,
      failingSince: Date.now(),
    } as const;
    const claim = async () => {
      await addPayment(db, store);
      await letReservationsEnd(db);
      return claimOne(db);
    };
    let judged = 0;
    const outcomeOf = (delivery: ClaimedDelivery, result: AttemptRecord) => {
      const judge = () => {
        judged += 1;
        return result === failed ? failing : null;
      };
      return { delivery, record: result, judge };
    };
    const isFailing = async () =>
      (await db.selectFrom('failing_endpoints').select('id').execute()).length === 1;
    const [well, late, next, last] = [await claim(), await claim(), await claim(), await claim()];
    await recordAttempts(db, [outcomeOf(well, delivered)]);
    t.same([judged, await isFailing()], [0, false]);
    await recordAttempts(db, [outcomeOf(late, failed)]);
    t.same([judged, await isFailing()], [1, true]);
    await recordAttempts(db, [outcomeOf(next, delivered)]);
    t.same([next.failures, judged, await isFailing()], [0, 2, false]);
    await recordAttempts(db, [outcomeOf(await claim(), failed), outcomeOf(last, delivered)]);
    t.equal(judged, 4, 'in one batch, too');
  },
);

t.test('of one receiver’s attempts in a batch, the one that ended last has the last word', async (t) => {
  for (const [failedMs, deliveredMs] of [
    [10, 500],
    [500, 10],
  ] as const) {
    const { db } = await openDatabase(t);
    const store = await addStore(db);
    for (let n = 0; n < 4; n += 1) await addPayment(db, store);
    await letReservationsEnd(db);
    const health = {
      phase: 'closed',
      failures: 1,
      openings: 0,
      until: null,
      failingSince: Date.now(),
    } as const;
    const outcomes = (await claimDue(db)).map((delivery, index) =>
      index % 2 === 0
        ? { delivery, record: { ...failed, durationMs: failedMs }, judge: () => health }
        : { delivery, record: { ...delivered, durationMs: deliveredMs }, judge: () => null },
    );
    await recordAttempts(db, outcomes);
    const failing = await db.selectFrom('failing_endpoints').select('id').execute();
    t.equal(failing.length, failedMs > deliveredMs ? 1 : 0);
  }
});

/** One delivery, claimed. */
async function claimedOne(t: Test) {
  const { db } = await openDatabase(t);
  await addPayment(db, await addStore(db));
  await letReservationsEnd(db);
  return { db, claimed: await claimOne(db) };
}

const claimAgain = async (db: Database) => {
  await sql`update deliveries set next_attempt_at = now(), leased_until = now()`.execute(db);
  return claimOne(db);
};
const countApart = async (db: Database) =>
  (await db.selectFrom('attempts').select('number').execute()).length;

t.test('the last attempt is kept in its delivery, and apart as soon as the next one begins', async (t) => {
  const { db, claimed } = await claimedOne(t);
  const errors = [
    { stage: 'connect', error: 'refused' },
    { statusCode: 503, responseExcerpt: 'busy' },
  ];
  const results: AttemptRecord[] = errors.map((error) => ({ ...failed, statusCode: null, ...error }));
  const shown = (number: number) => {
    const { state, retryInMs, ...attempt } = results[number - 1] ?? delivered;
    return { number, ...attempt };
  };
  const { id } = claimed;
  await record(db, claimed, results[0]);
  t.same([await listAttempts(db, id), await countApart(db)], [[shown(1)], 0]);
  const second = await claimAgain(db);
  t.same([await listAttempts(db, id), await countApart(db)], [[shown(1)], 1], 'while the next is under way');
  await record(db, second, results[1]);
  t.same(await listAttempts(db, id), [shown(1), shown(2)]);
  await record(db, await claimAgain(db));
  t.same([await listAttempts(db, id), await countApart(db)], [[shown(1), shown(2), shown(3)], 2]);
});

t.test('a claim that is given back adds no attempt, and hides none', async (t) => {
  const { db, claimed } = await claimedOne(t);
  await record(db, claimed, failed);
  await putOffDeliveries(db, [{ delivery: await claimAgain(db), restMs: 0 }]);
  t.match(await listAttempts(db, claimed.id), [{ number: 1 }]);
  await record(db, await claimAgain(db), failed);
  t.match(await listAttempts(db, claimed.id), [{ number: 1 }, { number: 2 }]);
});

t.test('in one batch, what comes late of a delivery is kept beside what holds', async (t) => {
  const { db, claimed: lost } = await claimedOne(t);
  const held = await claimAgain(db);
  t.match(await listAttempts(db, lost.id), [{ number: 1, stage: 'lost' }]);
  const outcomeOf = (delivery: ClaimedDelivery, durationMs: number) => {
    return { delivery, record: { ...delivered, durationMs }, judge: () => null };
  };
  const outcomes = [outcomeOf(lost, 5), outcomeOf(held, 6)];
  t.same((await recordAttempts(db, outcomes)).held, new Set(outcomes.slice(1)));
  t.match(await listAttempts(db, lost.id), [
    { number: 1, durationMs: 5, statusCode: 200 },
    { number: 2, durationMs: 6, statusCode: 200 },
  ]);
});

t.test('one number is shown once, should a crash of the server have let two attempts have it', async (t) => {
  const { db, claimed } = await claimedOne(t);
  const twins = [1, 2].map(() => ({ ...claimed, claimId: randomUUID() }));
  const outcomes = twins.map((delivery) => ({ delivery, record: delivered, judge: () => null }));
  await recordAttempts(db, outcomes);
  t.equal(await record(db, claimed, failed), true);
  const deciding = { number: 1, statusCode: 500 };
  t.match(await listAttempts(db, claimed.id), [deciding]);
  await record(db, await claimAgain(db));
  t.match(await listAttempts(db, claimed.id), [deciding, { number: 2 }]);
});
