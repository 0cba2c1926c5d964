import { sql } from 'kysely';
import t from 'tap';
import type { ClaimedDelivery } from '../src/claimed-delivery.ts';
import type { Database } from '../src/connection.ts';
import { type AttemptRecord, recordAttempts } from '../src/delivery-attempts.ts';
import { assertDue, claimOne, delivered, failed, record } from './attempts.ts';
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
