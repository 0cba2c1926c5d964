import { pauseOn, untilWaiting } from '@payments/testing/pause';
import t, { type Test } from 'tap';
import type { Database } from '../src/connection.ts';
import { enterEvents, findUnledgered } from '../src/ledger.ts';
import { assertDue, claimOne, failed, record } from './attempts.ts';
import {
  addPayment,
  addStore,
  eventsOf,
  leaveUnentered,
  letReservationsEnd,
  move,
  openDatabase,
} from './rows.ts';

// Events as processes of the release before commit them: without their deliveries.

/** A payment that was created and then approved: two events. */
async function approvedPayment(db: Database): Promise<[string, string]> {
  const paymentId = await addPayment(db, await addStore(db));
  await move(db, paymentId, 'approved');
  const events = (await eventsOf(db, paymentId)) as [string, string];
  await leaveUnentered(db, events);
  return events;
}

const entries = (db: Database) =>
  db.selectFrom('deliveries').select(['id', 'sequence', 'next_attempt_at']).orderBy('sequence').execute();

t.test('entered twice, and by four at once, an event has one delivery', async (t) => {
  const { db } = await openDatabase(t);
  const events = await approvedPayment(db);
  const entered = await Promise.all(Array.from({ length: 4 }, () => enterEvents(db, events)));
  t.equal(
    entered.reduce((sum, count) => sum + count, 0),
    2,
  );
  t.equal(await enterEvents(db, events), 0);
  t.equal((await entries(db)).length, 2);
  t.same(await findUnledgered(db, { olderThan: new Date(Date.now() + 1_000), limit: 10 }), []);
});

t.test('the earlier event again brings the later one along, which waits for nothing more', async (t) => {
  const { db, changed, created, claimed } = await raceSetup(t);
  await record(db, claimed);
  t.equal(await enterEvents(db, [created]), 1, 'as JetStream brings it again, and lost the other one');
  await assertDue(t, db, changed);
});

t.test(
  'the later event first: it brings the earlier one with it, and waits for its first attempt',
  async (t) => {
    const { db } = await openDatabase(t);
    const [created, changed] = await approvedPayment(db);
    t.equal(await enterEvents(db, [changed]), 2);
    const [first, second] = await entries(db);
    t.equal(first?.id, created);
    t.ok(first?.next_attempt_at);
    t.equal(second?.next_attempt_at, null);
    t.equal(await enterEvents(db, [created]), 0, 'the earlier one coming afterwards changes nothing');
    t.equal((await claimOne(db)).id, created);
  },
);

t.test('an unknown event, and one without a webhookUrl, make no delivery', async (t) => {
  const { db } = await openDatabase(t);
  const silent = await addPayment(db, await addStore(db), { webhookUrl: null });
  t.equal(await enterEvents(db, await eventsOf(db, silent)), 0);
  t.equal(await enterEvents(db, ['01900000-0000-7000-8000-000000000000']), 0);
  t.equal(await enterEvents(db, []), 0);
  t.same(await findUnledgered(db, { olderThan: new Date(Date.now() + 1_000), limit: 10 }), []);
});

t.test('only what is old enough counts as missing from the ledger', async (t) => {
  const { db } = await openDatabase(t);
  const events = await approvedPayment(db);
  t.same(await findUnledgered(db, { olderThan: new Date(Date.now() - 60_000), limit: 10 }), []);
  const missing = await findUnledgered(db, { olderThan: new Date(Date.now() + 1_000), limit: 10 });
  t.same(missing.sort(), events.sort());
});

t.test('a follow-up that is entered after the first attempt is due at once', async (t) => {
  const { db, claimed, changed } = await raceSetup(t);
  await record(db, claimed, failed);
  t.equal(await enterEvents(db, [changed]), 1);
  await assertDue(t, db, changed);
});

t.test('what a process of this release commits after such an event is entered after it', async (t) => {
  const { db } = await openDatabase(t);
  const paymentId = await addPayment(db, await addStore(db));
  const [created = ''] = await eventsOf(db, paymentId);
  await leaveUnentered(db, [created]);
  await move(db, paymentId, 'approved');
  t.same(await entries(db), []);
  const [, changed = ''] = await eventsOf(db, paymentId);
  t.equal(await enterEvents(db, [changed]), 2);
  const first = await claimOne(db);
  t.equal(first.id, created);
  await record(db, first);
  await assertDue(t, db, changed);
});

/** One event in the ledger and claimed, a second one committed but not entered yet. */
async function raceSetup(t: Test) {
  const { db, url } = await openDatabase(t);
  const paymentId = await addPayment(db, await addStore(db));
  await letReservationsEnd(db);
  const claimed = await claimOne(db);
  await move(db, paymentId, 'approved');
  const [created = '', changed = ''] = await eventsOf(db, paymentId);
  await leaveUnentered(db, [changed]);
  return { db, url, claimed, created, changed };
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
  t.equal(await entering, 1);
  await assertDue(t, db, changed);
});

t.test('race: the follow-up has looked for the attempt as the attempt is being recorded', async (t) => {
  const { db, url, claimed, changed } = await raceSetup(t);
  const entering = await db.startTransaction().execute();
  t.equal(await enterEvents(entering, [changed]), 1);
  const recording = record(db, claimed);
  await untilWaiting(url, 1);
  await entering.commit().execute();
  t.equal(await recording, true);
  await assertDue(t, db, changed);
});

t.test('race: the attempt is recorded whole between the entry of the follow-up and its look', async (t) => {
  const { db, url, claimed, changed } = await raceSetup(t);
  const pause = await pauseOn(url, 'after insert on deliveries', `new.id = '${changed}'`);
  const entering = enterEvents(db, [changed]);
  await pause.reached();
  t.equal(await record(db, claimed), true, 'nothing makes it wait');
  await pause.end();
  t.equal(await entering, 1);
  await assertDue(t, db, changed);
});

t.test('a payment’s two events entered by two processes at once are both released in order', async (t) => {
  for (let round = 0; round < 3; round += 1) {
    const { db } = await openDatabase(t, 4);
    const [created, changed] = await approvedPayment(db);
    await Promise.all([enterEvents(db, [changed]), enterEvents(db, [created])]);
    const first = await claimOne(db);
    t.equal(first.id, created);
    await record(db, first);
    await assertDue(t, db, changed);
  }
});
