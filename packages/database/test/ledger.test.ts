import { pauseOn, untilWaiting } from '@payments/testing/pause';
import { sql } from 'kysely';
import t, { type Test } from 'tap';
import type { ClaimedDelivery } from '../src/claimed-delivery.ts';
import type { Database } from '../src/connection.ts';
import { type AttemptRecord, recordAttempts } from '../src/delivery-attempts.ts';
import { claimDueDeliveries } from '../src/delivery-claims.ts';
import { enterEvents, enterFirstEvents, findUnledgered } from '../src/ledger.ts';
import { addPayment, addStore, eventsOf, move, openDatabase } from './rows.ts';

/** A payment that was created and then approved: two events. */
async function approvedPayment(db: Database): Promise<[string, string]> {
  const paymentId = await addPayment(db, await addStore(db));
  await move(db, paymentId, 'approved');
  return (await eventsOf(db, paymentId)) as [string, string];
}

const claimDue = (db: Database) =>
  claimDueDeliveries(db, { limit: 10, leaseMs: 60_000, free: new Map(), perEndpoint: 10, failing: true });

async function claimOne(db: Database): Promise<ClaimedDelivery> {
  const claimed = await claimDue(db);
  if (claimed.length !== 1) throw new Error(`claimed ${claimed.length} deliveries, not one`);
  return claimed[0]!;
}

const delivered: AttemptRecord = {
  startedAt: new Date(),
  durationMs: 1,
  statusCode: 200,
  stage: null,
  error: null,
  responseExcerpt: null,
  state: 'delivered',
  retryInMs: null,
};
const failed: AttemptRecord = { ...delivered, statusCode: 500, state: 'pending', retryInMs: 3_600_000 };
const record = async (db: Database, delivery: ClaimedDelivery, result = delivered) =>
  (await recordAttempts(db, [{ delivery, record: result, judge: () => null }])).held.has(delivery.id);

const entries = (db: Database) =>
  db.selectFrom('deliveries').select(['id', 'sequence', 'next_attempt_at']).orderBy('sequence').execute();

/** The follow-up is due: it can be claimed now. */
async function assertFollowUpDue(t: Test, db: Database, id: string) {
  t.same(
    (await claimDue(db)).map((delivery) => delivery.id),
    [id],
  );
}

t.test('entered twice, and by four at once, an event has one delivery', async (t) => {
  const { db } = await openDatabase(t);
  const events = await approvedPayment(db);
  const entered = await Promise.all(Array.from({ length: 4 }, () => enterEvents(db, events)));
  t.equal(
    entered.reduce((sum, entry) => sum + entry.entered, 0),
    2,
  );
  t.equal((await enterEvents(db, events)).entered, 0);
  t.equal((await entries(db)).length, 2);
  t.same(await findUnledgered(db, { olderThan: new Date(Date.now() + 1_000), limit: 10 }), []);
});

t.test('the earlier event again brings the later one along, which waits for nothing more', async (t) => {
  const { db } = await openDatabase(t);
  const paymentId = await addPayment(db, await addStore(db));
  const [created = ''] = await eventsOf(db, paymentId);
  await enterEvents(db, [created]);
  await record(db, await claimOne(db));
  await move(db, paymentId, 'approved');
  t.equal(
    (await enterEvents(db, [created])).entered,
    1,
    'as JetStream brings it again, and lost the other one',
  );
  const [, changed = ''] = await eventsOf(db, paymentId);
  await assertFollowUpDue(t, db, changed);
});

t.test(
  'the later event first: it brings the earlier one with it, and waits for its first attempt',
  async (t) => {
    const { db } = await openDatabase(t);
    const [created, changed] = await approvedPayment(db);
    t.equal((await enterEvents(db, [changed])).entered, 2);
    const [first, second] = await entries(db);
    t.equal(first?.id, created);
    t.ok(first?.next_attempt_at);
    t.equal(second?.next_attempt_at, null);
    t.equal(
      (await enterEvents(db, [created])).entered,
      0,
      'the earlier one coming afterwards changes nothing',
    );
    t.equal((await claimOne(db)).id, created);
  },
);

t.test('an unknown event, and one without a webhookUrl, make no delivery', async (t) => {
  const { db } = await openDatabase(t);
  const silent = await addPayment(db, await addStore(db), { webhookUrl: null });
  t.equal((await enterEvents(db, await eventsOf(db, silent))).entered, 0);
  t.equal((await enterEvents(db, ['01900000-0000-7000-8000-000000000000'])).entered, 0);
  t.equal((await enterEvents(db, [])).entered, 0);
  t.same(await findUnledgered(db, { olderThan: new Date(Date.now() + 1_000), limit: 10 }), []);
});

t.test('only what is old enough counts as missing from the ledger', async (t) => {
  const { db } = await openDatabase(t);
  const events = await approvedPayment(db);
  t.same(await findUnledgered(db, { olderThan: new Date(Date.now() - 60_000), limit: 10 }), []);
  const missing = await findUnledgered(db, { olderThan: new Date(Date.now() + 1_000), limit: 10 });
  t.same(missing.sort(), events.sort());
});

t.test('the follow-up is released by the first attempt, whatever its result', async (t) => {
  for (const result of [delivered, failed, { ...failed, state: 'dead' as const, retryInMs: null }]) {
    const { db } = await openDatabase(t);
    const events = await approvedPayment(db);
    await enterEvents(db, events);
    t.equal(await record(db, await claimOne(db), result), true);
    await assertFollowUpDue(t, db, events[1]);
  }
});

t.test('a follow-up that is entered after the first attempt is due at once', async (t) => {
  const { db } = await openDatabase(t);
  const paymentId = await addPayment(db, await addStore(db));
  await enterEvents(db, await eventsOf(db, paymentId));
  await record(db, await claimOne(db), failed);
  await move(db, paymentId, 'approved');
  const [, changed] = await eventsOf(db, paymentId);
  await enterEvents(db, [changed!]);
  await assertFollowUpDue(t, db, changed!);
});

t.test(
  'an attempt whose lease was lost is kept, and releases the follow-up, and changes nothing else',
  async (t) => {
    const { db } = await openDatabase(t);
    const events = await approvedPayment(db);
    await enterEvents(db, events);
    const lost = await claimOne(db);
    await sql`update deliveries set next_attempt_at = now() where id = ${lost.id}`.execute(db);
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
    await assertFollowUpDue(t, db, events[1]);
  },
);

/** One event in the ledger and claimed, a second one committed but not entered yet. */
async function raceSetup(t: Test) {
  const { db, url } = await openDatabase(t);
  const paymentId = await addPayment(db, await addStore(db));
  await enterEvents(db, await eventsOf(db, paymentId));
  const claimed = await claimOne(db);
  await move(db, paymentId, 'approved');
  const [, changed] = await eventsOf(db, paymentId);
  return { db, url, claimed, changed: changed! };
}

t.test('race: the attempt is being recorded as the follow-up is entered', async (t) => {
  const { db, url, claimed, changed } = await raceSetup(t);
  const pause = await pauseOn(url, 'after update on deliveries', 'new.attempted and not old.attempted');
  const recording = record(db, claimed);
  await pause.reached();
  const entering = enterEvents(db, [changed]);
  await pause.waiters(2);
  await pause.end();
  t.equal(await recording, true);
  t.equal((await entering).entered, 1);
  await assertFollowUpDue(t, db, changed);
});

t.test('race: the follow-up has looked for the attempt as the attempt is being recorded', async (t) => {
  const { db, url, claimed, changed } = await raceSetup(t);
  const entering = await db.startTransaction().execute();
  t.match(await enterEvents(entering, [changed]), { entered: 1, isMoreDue: false });
  const recording = record(db, claimed);
  await untilWaiting(url, 1);
  await entering.commit().execute();
  t.equal(await recording, true);
  await assertFollowUpDue(t, db, changed);
});

t.test('race: the attempt is recorded whole between the entry of the follow-up and its look', async (t) => {
  const { db, url, claimed, changed } = await raceSetup(t);
  const pause = await pauseOn(url, 'after insert on deliveries', `new.id = '${changed}'`);
  const entering = enterEvents(db, [changed]);
  await pause.reached();
  t.equal(await record(db, claimed), true, 'nothing makes it wait');
  await pause.end();
  t.equal((await entering).entered, 1);
  await assertFollowUpDue(t, db, changed);
});

t.test('a payment’s two events entered by two processes at once are both released in order', async (t) => {
  for (let round = 0; round < 3; round += 1) {
    const { db } = await openDatabase(t, 4);
    const [created, changed] = await approvedPayment(db);
    await Promise.all([enterEvents(db, [changed]), enterEvents(db, [created])]);
    const first = await claimOne(db);
    t.equal(first.id, created);
    await record(db, first);
    await assertFollowUpDue(t, db, changed);
  }
});

const bounds = { limit: 3, leaseMs: 60_000, free: new Map<string, number>(), perEndpoint: 2, failing: false };

t.test('what is due at its entry is claimed there, within the bounds', async (t) => {
  const { db } = await openDatabase(t);
  const store = await addStore(db);
  const events: string[] = [];
  for (const path of ['a', 'a', 'a', 'b', 'b']) {
    const id = await addPayment(db, store, { webhookUrl: `https://shop.example.com/${path}` });
    events.push(...(await eventsOf(db, id)));
  }
  const { entered, claimed, isMoreDue } = await enterEvents(db, events, bounds);
  t.same([entered, claimed.length, isMoreDue], [5, 3, true]);
  const places = claimed.map(({ id }) => events.indexOf(id));
  t.same(places.sort(), [0, 1, 3], 'the oldest, no more of an endpoint than it may have');
  t.match(claimed[0], {
    attempt: 1,
    scheduledAttempt: 1,
    sequence: 1,
    type: 'payment.created',
    probe: false,
  });
  t.equal(claimed[0]?.payment.id, claimed[0]?.paymentId);
  t.equal(claimed[0]?.secrets.length, 1);
  t.equal((await claimDue(db)).length, 2, 'the others are left to be claimed from the queue');
  t.equal(await record(db, claimed[0]!), true);
});

t.test('a follow-up is claimed at its entry once the attempt before it is recorded', async (t) => {
  const { db, claimed, changed } = await raceSetup(t);
  await record(db, claimed, failed);
  const { claimed: followUps } = await enterEvents(db, [changed], bounds);
  t.match(followUps, [{ id: changed, attempt: 1, sequence: 2, type: 'payment.status_changed' }]);
  t.equal((await claimDue(db)).length, 0);
});

t.test('an endpoint that fails is not attempted at the entry', async (t) => {
  const { db } = await openDatabase(t);
  const paymentId = await addPayment(db, await addStore(db));
  const events = await eventsOf(db, paymentId);
  await sql`insert into failing_endpoints (id, store_id, url, phase, failures, openings, failing_since)
    select endpoint_of(store_id, webhook_url), store_id, webhook_url, 'closed', 2, 0, now() from payments`.execute(
    db,
  );
  t.match(await enterEvents(db, events, bounds), { entered: 1, claimed: [], isMoreDue: true });
});

t.test('first events are entered and claimed by themselves; the others are left', async (t) => {
  const { db } = await openDatabase(t);
  const [created, changed] = await approvedPayment(db);
  const { claimed, ...entry } = await enterFirstEvents(db, [changed, created], bounds);
  t.match(claimed, [{ id: created, attempt: 1, sequence: 1 }]);
  t.same(entry, { entered: 1, isMoreDue: false, others: [changed] });
  t.same((await entries(db)).length, 1);
  const again = await enterFirstEvents(db, [changed, created], bounds);
  t.same(again, { entered: 0, claimed: [], isMoreDue: false, others: [changed, created] });
  t.equal((await enterEvents(db, again.others, bounds)).entered, 1);
  t.equal(await record(db, claimed[0]!), true);
  await assertFollowUpDue(t, db, changed);
});

t.test('a first event is entered once, by four at once, and beside its follow-up', async (t) => {
  const { db } = await openDatabase(t, 5);
  const [created, changed] = await approvedPayment(db);
  const entered = await Promise.all([
    enterEvents(db, [changed]),
    ...Array.from({ length: 4 }, () => enterFirstEvents(db, [created], bounds)),
  ]);
  t.equal(
    entered.reduce((sum, entry) => sum + entry.entered, 0),
    2,
  );
  const claimed = entered.flatMap((entry) => entry.claimed);
  const [first = claimed[0]!] = await claimDue(db);
  t.equal(first.id, created);
  await record(db, first);
  await assertFollowUpDue(t, db, changed);
});

t.test('what a first attempt releases is told of', async (t) => {
  const { db } = await openDatabase(t);
  await enterEvents(db, await approvedPayment(db));
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
      await enterEvents(db, await eventsOf(db, await addPayment(db, store)));
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
