import { randomUUID } from 'node:crypto';
import { claimDeliveries } from '@payments/database/deliveries/claim';
import { readDue } from '@payments/database/deliveries/due';
import { renewLease } from '@payments/database/deliveries/leases';
import type { AttemptOutcome } from '@payments/database/deliveries/record';
import { pino } from 'pino';
import t from 'tap';
import { createRecorder } from '../../src/deliveries/recorder.ts';
import { openScene, openShop } from './scene.ts';

const { shop, sql, system } = await openScene(t, { dispatcher: false });
const { db } = system;
const record = createRecorder({
  db,
  judge: () => null,
  onReleased: () => {},
  log: pino({ level: 'silent' }),
});

/** Deliveries that this test has claimed, with the outcomes of their attempts. */
async function outcomes(count: number, shops = [shop]): Promise<AttemptOutcome[]> {
  for (const one of shops) await one.chargeMany(count / shops.length, () => 'http://127.0.0.1:9/');
  const dispatcherId = randomUUID();
  await renewLease(db, dispatcherId, 60_000);
  const deliveries = await readDue(db, count);
  const claimed = await claimDeliveries(db, { dispatcherId, deliveries, probeMs: 60_000 });
  const outcome = { durationMs: 1, statusCode: 200, error: null, responseExcerpt: 'thanks' };
  return claimed
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((delivery) => ({
      delivery,
      attempt: { ...outcome, startedAt: new Date() },
      state: 'delivered',
      retryInMs: null,
      endpointSucceeded: true,
    }));
}

const statesOf = async (all: AttemptOutcome[]) => {
  const ids = all.map(({ delivery }) => delivery.id);
  const rows = await sql('select state from deliveries where id = any($1) order by id', [ids]);
  return rows.map(({ state }) => state);
};

t.test('outcomes that end together are recorded together, each with its own result', async (t) => {
  const all = await outcomes(20);
  const [lost] = all;
  await sql('update deliveries set claimed_by = gen_random_uuid() where id = $1', [lost?.delivery.id]);
  const held = await Promise.all(all.map(record));
  t.same(held, [false, ...Array.from({ length: 19 }, () => true)]);
  t.same(await statesOf(all), ['pending', ...Array.from({ length: 19 }, () => 'delivered')]);
  await sql('delete from deliveries');
});

t.test('a refused outcome fails alone, and its claim is released', async (t) => {
  const all = await outcomes(5);
  const bad = all[2] as AttemptOutcome;
  bad.attempt.responseExcerpt = 'PostgreSQL has no \0 in jsonb';
  const since = Date.now();
  t.same(await Promise.all(all.map(record)), [true, true, false, true, true]);
  t.same(await statesOf(all), ['delivered', 'delivered', 'pending', 'delivered', 'delivered']);
  const [{ claimed_by: claimedBy, next_attempt_at: nextAttemptAt }] = await sql(
    'select claimed_by, next_attempt_at from deliveries where id = $1',
    [bad.delivery.id],
  );
  t.equal(claimedBy, null);
  t.ok(nextAttemptAt.getTime() >= since + 10_000, 'after a rest');
});

t.test('a delivery that stays locked is recorded later, and keeps no other store waiting', async (t) => {
  const other = await openShop({ ...system, call: system.api });
  const all = await outcomes(6, [shop, other]);
  const [locked] = all.filter(({ delivery }) => delivery.storeId === shop.id);
  const recorded = new Map<AttemptOutcome, Promise<boolean>>();
  await db.transaction().execute(async (trx) => {
    await trx.selectFrom('deliveries').where('id', '=', locked!.delivery.id).forUpdate().execute();
    for (const outcome of all) recorded.set(outcome, record(outcome));
    for (const outcome of all)
      if (outcome.delivery.storeId === other.id) t.equal(await recorded.get(outcome), true);
    const states = await statesOf(all.filter(({ delivery }) => delivery.storeId === shop.id));
    t.same(states, Array(3).fill('pending'));
  });
  t.same(await Promise.all(recorded.values()), Array(6).fill(true));
  t.same(await statesOf(all), Array(6).fill('delivered'));
  await sql('delete from deliveries');
});

t.test(
  'an attempt stays recorded, and its follow-up is told of, where its endpoint can’t be judged',
  async (t) => {
    const [outcome] = await outcomes(1);
    const { delivery } = outcome!;
    await sql(
      `insert into events (id, payment_id, store_id, sequence, type, status, payload, actor, occurred_at)
    select gen_random_uuid(), payment_id, store_id, sequence + 1, type, status, payload, actor, now()
    from events where id = $1`,
      [delivery.id],
    );
    await sql(
      `insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, state, created_at)
    select e.id, d.payment_id, d.store_id, e.sequence, url, endpoint, 'pending', now()
    from deliveries d join events e on e.payment_id = d.payment_id and e.sequence = d.sequence + 1 where d.id = $1`,
      [delivery.id],
    );
    let released = 0;
    let judged = 0;
    const told: string[] = [];
    const unjudged = createRecorder({
      db,
      judge: () => {
        judged += 1;
        throw new Error('no verdict');
      },
      onReleased: () => {
        released += 1;
      },
      log: pino({ level: 'error' }, { write: (line) => void told.push(JSON.parse(line).msg) }),
    });
    t.equal(await unjudged({ ...outcome!, state: 'dead', endpointSucceeded: false }), true, 'its claim held');
    t.same([released, judged], [1, 1]);
    t.same(await statesOf([outcome!]), ['dead']);
    t.same(told, ['endpoints were not judged by their attempts']);
    await sql('delete from deliveries');
  },
);
