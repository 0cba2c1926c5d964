import { pauseOn, untilWaiting } from '@payments/testing/pause';
import { sql } from 'kysely';
import t, { type Test } from 'tap';
import type { Database } from '../../src/connection.ts';
import { redeliver, redeliverMany } from '../../src/deliveries/redeliver.ts';
import { assertDue, claimDue, claimOne, delivered, failed, record, recordAll } from '../attempts.ts';
import { addPayment, addStore, eventsOf, move, moveWithin, openDatabase, somebody } from '../rows.ts';

/**
 * Creates a payment with a webhook.
 * @returns its id and that of its `payment.created`
 */
async function created(db: Database): Promise<{ paymentId: string; id: string }> {
  const paymentId = await addPayment(db, await addStore(db));
  const [id = ''] = await eventsOf(db, paymentId);
  return { paymentId, id };
}

const changeOf = async (db: Database, paymentId: string) => (await eventsOf(db, paymentId))[1] ?? '';

t.test('a payment without a webhookUrl has no delivery, at creation and at moves', async (t) => {
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
  const first = await claimOne(db);
  t.equal(first.id, id);
  t.equal(await redeliver(db, await changeOf(db, paymentId), { by: somebody, now: new Date() }), false);
  await record(db, first, failed);
  await assertDue(t, db, await changeOf(db, paymentId));
});

t.test('one record of several attempts releases what follows those whose claims held', async (t) => {
  const { db } = await openDatabase(t);
  const [one, two, still, lost] = [
    await created(db),
    await created(db),
    await created(db),
    await created(db),
  ];
  for (const { paymentId } of [one, two, lost]) await move(db, paymentId, 'approved');
  const claimed = new Map((await claimDue(db)).map((delivery) => [delivery.id, delivery]));
  const of = ({ id }: { id: string }) => claimed.get(id)!;
  const outcomes = [
    { delivery: of(one), ...delivered },
    { delivery: of(two), ...failed },
    { delivery: of(still), ...delivered },
    { delivery: { ...of(lost), attempt: 2 }, ...delivered },
  ];
  const recorded = await recordAll(db, outcomes);
  t.equal(recorded.released, 2);
  t.same(recorded.held, new Set(outcomes.slice(0, 3)));
  t.same(recorded.late, outcomes.slice(3));
  const due = (await claimDue(db)).map(({ id }) => id);
  t.same(due.sort(), [await changeOf(db, one.paymentId), await changeOf(db, two.paymentId)].sort());
  t.equal((await recordAll(db, outcomes)).released, 0, 'no claim held, so nothing follows');
});

t.test('a follow-up is due if the event before it was attempted or removed', async (t) => {
  for (const isRemoved of [false, true]) {
    const { db } = await openDatabase(t);
    const { paymentId } = await created(db);
    await record(db, await claimOne(db), delivered);
    if (isRemoved) await sql`delete from deliveries`.execute(db);
    await move(db, paymentId, 'approved');
    const id = await changeOf(db, paymentId);
    t.match(await claimOne(db), {
      id,
      attempt: 1,
      sequence: 2,
      type: 'payment.status_changed',
      previousStatus: 'pending',
    });
  }
});

/** A payment whose first webhook is in flight. */
async function raceSetup(t: Test) {
  const { db, url } = await openDatabase(t);
  const { paymentId } = await created(db);
  return { db, url, paymentId, claimed: await claimOne(db) };
}

t.test('race: the payment moves while the attempt is being recorded', async (t) => {
  const { db, url, paymentId, claimed } = await raceSetup(t);
  const pause = await pauseOn(url, 'after update on deliveries', 'new.attempted and not old.attempted');
  const recording = record(db, claimed);
  await pause.reached();
  const moving = move(db, paymentId, 'approved');
  await pause.waiters(2);
  await pause.end();
  t.equal(await recording, true);
  await moving;
  await assertDue(t, db, await changeOf(db, paymentId));
});

t.test('race: the attempt is being recorded while the payment’s move is not committed', async (t) => {
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
    await assertDue(t, db, await changeOf(db, paymentId));
  },
);

t.test('a due delivery can be sent again at once, and one dispatcher claims it', async (t) => {
  const { db } = await openDatabase(t);
  const { id } = await created(db);
  const by = { ...somebody, name: 'Ana (ana@shop.example)' };
  t.equal(await redeliver(db, id, { by, now: new Date() }), true);
  await assertDue(t, db, id);
  t.same(await claimDue(db), []);
  const ofDelivery = db.selectFrom('changes').select('author').where('action', '=', 'delivery.redelivered');
  t.same(await ofDelivery.execute(), [{ author: 'Ana ([e-mail])' }], 'no e-mail enters the record');
});

t.test(
  'many are sent again some at a time: other entries of the record wait for few of theirs',
  async (t) => {
    const { db } = await openDatabase(t);
    const { id } = await created(db);
    await sql`insert into events (id, payment_id, store_id, sequence, type, status, payload, actor, occurred_at)
    select gen_random_uuid(), payment_id, store_id, number, type, status, payload, actor, occurred_at
    from events, generate_series(2, 600) number where id = ${id}`.execute(db);
    await sql`insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, state, created_at)
    select e.id, e.payment_id, e.store_id, e.sequence, d.url, d.endpoint, 'dead', now() + e.sequence * interval '1 second'
    from deliveries d join events e using (payment_id) where d.id = ${id} and e.sequence > 1`.execute(db);
    t.equal(await redeliverMany(db, { state: 'dead' }, { by: somebody, now: new Date() }), 599);
    const { rows: groups } = await sql<{ count: number }>`
    select count(*)::int as count from changes group by xmin order by count desc`.execute(db);
    t.strictSame(groups, [{ count: 250 }, { count: 250 }, { count: 99 }, { count: 1 }]);
    const due = db
      .selectFrom('deliveries')
      .select('sequence')
      .where('sequence', '>', 1)
      .orderBy('nextAttemptAt');
    t.strictSame(
      (await due.execute()).map(({ sequence }) => sequence),
      Array.from({ length: 599 }, (_, place) => place + 2),
      'oldest first',
    );
  },
);
