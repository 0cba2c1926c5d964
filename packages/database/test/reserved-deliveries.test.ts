import { pauseOn, untilWaiting } from '@payments/testing/pause';
import { sql } from 'kysely';
import t, { type Test } from 'tap';
import type { Database } from '../src/connection.ts';
import { putOffDeliveries, renewLeases } from '../src/deliveries/leases.ts';
import { redeliver } from '../src/deliveries/redeliver.ts';
import { takeReserved } from '../src/deliveries/reserved.ts';
import { assertDue, claimDue, claimOne, delivered, failed, record } from './attempts.ts';
import {
  addPayment,
  addStore,
  eventsOf,
  letReservationsEnd,
  move,
  moveWithin,
  openDatabase,
  somebody,
} from './rows.ts';

const bounds = { limit: 3, leaseMs: 60_000, free: new Map<string, number>(), perEndpoint: 2, failing: false };

/** A payment with a webhook. @returns its id and that of its `payment.created` */
async function created(db: Database): Promise<{ paymentId: string; id: string }> {
  const paymentId = await addPayment(db, await addStore(db));
  const [id = ''] = await eventsOf(db, paymentId);
  return { paymentId, id };
}

const entry = async (db: Database, id: string) =>
  db
    .selectFrom('deliveries')
    .select(['state', 'attempts', 'claim_id', 'leased_until', 'next_attempt_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

t.test('an event has its delivery as it is committed, reserved and with no attempt', async (t) => {
  const { db } = await openDatabase(t);
  const { id } = await created(db);
  const { next_attempt_at: until, ...rest } = await entry(db, id);
  t.same(rest, { state: 'pending', attempts: 0, claim_id: null, leased_until: null });
  const leftMs = Number(until) - Date.now();
  t.ok(leftMs > 5_000 && leftMs < 11_000, `for some ten seconds: ${leftMs} ms`);
  t.same(await claimDue(db), [], 'nobody claims it meanwhile');
});

t.test('one that nobody takes is claimed when its lease ends, and shows no lost attempt', async (t) => {
  const { db } = await openDatabase(t);
  const { id } = await created(db);
  await letReservationsEnd(db);
  const claimed = await claimOne(db);
  t.match(claimed, { id, attempt: 1, scheduledAttempt: 1 });
  t.same(await db.selectFrom('all_attempts').selectAll().execute(), []);
  t.match(await takeReserved(db, [id], bounds), { claimed: [], isMoreDue: false });
  t.equal(await record(db, claimed), true);
});

t.test('of four that take one at once, one has it', async (t) => {
  const { db } = await openDatabase(t);
  const { id, paymentId } = await created(db);
  const taken = await Promise.all(Array.from({ length: 4 }, () => takeReserved(db, [id], bounds)));
  const claimed = taken.flatMap((one) => one.claimed);
  t.match(claimed, [
    { id, attempt: 1, scheduledAttempt: 1, sequence: 1, type: 'payment.created', probe: false },
  ]);
  t.equal(claimed.length, 1);
  t.match(JSON.parse(claimed[0]!.payment), { id: paymentId });
  t.equal(claimed[0]?.secrets.length, 1);
  t.match(await entry(db, id), { attempts: 1, claim_id: claimed[0]?.claimId });
  t.equal(await record(db, claimed[0]!), true);
  t.match(await takeReserved(db, [id], bounds), { claimed: [], isMoreDue: false }, 'nor does anybody later');
});

t.test('what is taken stays in its page, and in its places in the indexes', async (t) => {
  const { db } = await openDatabase(t, 1);
  const store = await addStore(db);
  const events: string[] = [];
  for (let made = 0; made < 40; made += 1) events.push(...(await eventsOf(db, await addPayment(db, store))));
  const { claimed } = await takeReserved(db, events, { ...bounds, limit: 40, perEndpoint: 40 });
  t.equal(claimed.length, 40);
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ updated: number; inPlace: number }>`
    select n_tup_upd as updated, n_tup_hot_upd as "inPlace" from pg_stat_user_tables where relname = 'deliveries'`.execute(
    db,
  );
  t.same(rows, [{ updated: 40, inPlace: 40 }]);
});

t.test('what a killed process had taken falls due with its lease, and is shown as lost', async (t) => {
  const { db } = await openDatabase(t);
  const { id } = await created(db);
  const [taken] = (await takeReserved(db, [id], bounds)).claimed;
  t.same(await claimDue(db), []);
  await sql`update deliveries set next_attempt_at = now()`.execute(db);
  t.match(await claimOne(db), { id, attempt: 2 });
  t.match(await db.selectFrom('all_attempts').select(['number', 'stage']).execute(), [
    { number: 1, stage: 'lost' },
  ]);
  t.equal(await record(db, taken!), false, 'its claim is fenced');
});

t.test('what is taken and renewed is nobody else’s, though its reservation be over', async (t) => {
  const { db } = await openDatabase(t);
  const { id } = await created(db);
  const { claimed } = await takeReserved(db, [id], bounds);
  await renewLeases(db, claimed, 60_000);
  await sql`update deliveries set next_attempt_at = now()`.execute(db);
  t.same(await claimDue(db), []);
  t.equal(await record(db, claimed[0]!), true);
});

t.test('one that is taken and put off falls due again without an attempt', async (t) => {
  const { db } = await openDatabase(t);
  const { id } = await created(db);
  const [delivery] = (await takeReserved(db, [id], bounds)).claimed;
  await putOffDeliveries(db, [{ delivery: delivery!, restMs: 0 }]);
  t.match(await entry(db, id), { attempts: 0, claim_id: null });
  t.match(await claimOne(db), { id, attempt: 1 });
});

t.test('what comes too late to be renewed in time is left to the queue', async (t) => {
  const { db } = await openDatabase(t);
  const { id } = await created(db);
  await sql`update deliveries set next_attempt_at = now() + interval '6 seconds'`.execute(db);
  t.same(await takeReserved(db, [id], bounds), { claimed: [], isMoreDue: false });
  t.match(await entry(db, id), { attempts: 0, claim_id: null });
});

t.test('as many are taken as the bounds allow; the others fall due at once', async (t) => {
  const { db } = await openDatabase(t);
  const store = await addStore(db);
  const events: string[] = [];
  for (const path of ['a', 'a', 'a', 'b', 'b']) {
    const id = await addPayment(db, store, { webhookUrl: `https://shop.example.com/${path}` });
    events.push(...(await eventsOf(db, id)));
  }
  const { claimed, isMoreDue } = await takeReserved(db, events, bounds);
  t.same([claimed.length, isMoreDue], [3, true]);
  const places = claimed.map(({ id }) => events.indexOf(id));
  t.same(places.sort(), [0, 1, 3], 'the oldest, no more of an endpoint than it may have');
  const others = await claimDue(db);
  t.same(others.map(({ id, attempt }) => [events.indexOf(id), attempt]).sort(), [
    [2, 1],
    [4, 1],
  ]);
  t.equal(await record(db, claimed[0]!), true);
});

t.test('one to an endpoint that fails is not taken', async (t) => {
  const { db } = await openDatabase(t);
  const { id } = await created(db);
  await sql`insert into failing_endpoints (id, store_id, url, phase, failures, openings, failing_since)
    select endpoint_of(store_id, webhook_url), store_id, webhook_url, 'closed', 2, 0, now() from payments`.execute(
    db,
  );
  t.match(await takeReserved(db, [id], bounds), { claimed: [], isMoreDue: true });
  await assertDue(t, db, id);
});

t.test('events without a delivery are passed over', async (t) => {
  const { db } = await openDatabase(t);
  const { id } = await created(db);
  const unknown = '01900000-0000-7000-8000-000000000000';
  t.match(await takeReserved(db, [unknown, id], bounds), { claimed: [{ id }], isMoreDue: false });
  t.same(await takeReserved(db, [], bounds), { claimed: [], isMoreDue: false });
});

t.test('a payment without a webhookUrl has no delivery, as it is created and as it moves', async (t) => {
  const { db } = await openDatabase(t);
  const silent = await addPayment(db, await addStore(db), { webhookUrl: null });
  await move(db, silent, 'approved');
  t.equal((await eventsOf(db, silent)).length, 2);
  t.same(await db.selectFrom('deliveries').select('id').execute(), []);
});

t.test('a follow-up waits for the first attempt of the event before it', async (t) => {
  const { db } = await openDatabase(t);
  const { id, paymentId } = await created(db);
  await move(db, paymentId, 'approved');
  const [, changed = ''] = await eventsOf(db, paymentId);
  t.match(await entry(db, changed), { claim_id: null, next_attempt_at: null });
  const { claimed } = await takeReserved(db, [changed, id], bounds);
  t.match(claimed, [{ id }]);
  t.equal(claimed.length, 1);
  await record(db, claimed[0]!, failed);
  await assertDue(t, db, changed);
});

t.test('a follow-up is reserved where the event before it was attempted, or removed since', async (t) => {
  for (const isRemoved of [false, true]) {
    const { db } = await openDatabase(t);
    const { id, paymentId } = await created(db);
    await record(db, (await takeReserved(db, [id], bounds)).claimed[0]!, delivered);
    if (isRemoved)
      for (const table of ['attempts', 'deliveries']) await sql`delete from ${sql.ref(table)}`.execute(db);
    await move(db, paymentId, 'approved');
    const [, changed = ''] = await eventsOf(db, paymentId);
    const { claimed } = await takeReserved(db, [changed], bounds);
    t.match(claimed, [
      { id: changed, attempt: 1, sequence: 2, type: 'payment.status_changed', previousStatus: 'pending' },
    ]);
  }
});

/** A payment whose first webhook is being attempted. */
async function raceSetup(t: Test) {
  const { db, url } = await openDatabase(t);
  const { id, paymentId } = await created(db);
  const { claimed } = await takeReserved(db, [id], bounds);
  return { db, url, paymentId, claimed: claimed[0]! };
}

const changeOf = async (db: Database, paymentId: string) => (await eventsOf(db, paymentId))[1] ?? '';

t.test('race: the attempt is being recorded as the payment moves', async (t) => {
  const { db, url, paymentId, claimed } = await raceSetup(t);
  const pause = await pauseOn(url, 'after update on deliveries', 'new.attempted and not old.attempted');
  const recording = record(db, claimed);
  await pause.reached();
  const moving = move(db, paymentId, 'approved');
  await pause.waiters(2);
  await pause.end();
  t.equal(await recording, true);
  await moving;
  const changed = await changeOf(db, paymentId);
  t.match((await takeReserved(db, [changed], bounds)).claimed, [{ id: changed }]);
});

t.test('race: the payment has moved, and not committed, as the attempt is being recorded', async (t) => {
  const { db, url, paymentId, claimed } = await raceSetup(t);
  const moving = await db.startTransaction().execute();
  await moveWithin(moving, paymentId, 'approved');
  const recording = record(db, claimed);
  await untilWaiting(url, 1);
  await moving.commit().execute();
  t.equal(await recording, true);
  await assertDue(t, db, await changeOf(db, paymentId));
});

t.test(
  'race: the attempt is recorded whole after the payment’s move began, and before it looks',
  async (t) => {
    const { db, url, paymentId, claimed } = await raceSetup(t);
    const pause = await pauseOn(url, 'before update on payments', "new.status = 'approved'");
    const moving = move(db, paymentId, 'approved');
    await pause.reached();
    t.equal(await record(db, claimed), true, 'nothing makes it wait');
    await pause.end();
    await moving;
    const changed = await changeOf(db, paymentId);
    t.match((await takeReserved(db, [changed], bounds)).claimed, [{ id: changed }]);
  },
);

/** What a crash of the server does to what it had not written yet. */
const undoTaking = (db: Database) => sql`update deliveries set claim_id = null, attempts = 0`.execute(db);

t.test(
  'an attempt whose taking a crash of the server undid is recorded, and renewed, as the first',
  async (t) => {
    const { db, claimed } = await raceSetup(t);
    await undoTaking(db);
    await renewLeases(db, [claimed], 60_000);
    t.match(await entry(db, claimed.id), { attempts: 1, claim_id: claimed.claimId });
    await undoTaking(db);
    t.equal(await record(db, claimed), true);
    t.match(await entry(db, claimed.id), { state: 'delivered', attempts: 1 });
  },
);

t.test(
  'one that is being changed is not waited for, for long, and holds up no renewal of others',
  async (t) => {
    const { db, claimed } = await raceSetup(t);
    const other = await created(db);
    const [taken] = (await takeReserved(db, [other.id], bounds)).claimed;
    const { id } = await created(db);
    const holder = await db.startTransaction().execute();
    await sql`select from deliveries where id in (${id}, ${claimed.id}) for no key update`.execute(holder);
    await t.rejects(takeReserved(db, [id], bounds), /lock timeout/);
    await renewLeases(db, [claimed, taken!], 3_600_000);
    await holder.rollback().execute();
    t.ok(Number((await entry(db, other.id)).leased_until) > Date.now() + 60_000);
    t.match(await entry(db, claimed.id), { leased_until: null });
    t.match((await takeReserved(db, [id], bounds)).claimed, [{ id }]);
  },
);

t.test('one that is reserved can be sent again at once, and is then claimed by one', async (t) => {
  const { db } = await openDatabase(t);
  const { id } = await created(db);
  t.equal(await redeliver(db, id, { by: somebody, now: new Date() }), true);
  t.same((await takeReserved(db, [id], bounds)).claimed, []);
  await assertDue(t, db, id);
});
