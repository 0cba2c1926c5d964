import { pauseOn } from '@payments/testing/pause';
import { sql } from 'kysely';
import t, { type Test } from 'tap';
import type { Database } from '../src/connection.ts';
import type { ClaimedDelivery } from '../src/deliveries/claimed-delivery.ts';
import { claimBehindBacklog, claimDueDeliveries } from '../src/deliveries/claims.ts';
import { findDelivery } from '../src/deliveries/list.ts';
import { claimDue, claimOne, failed, record } from './attempts.ts';
import { addPayment, addStore, letReservationsEnd, openDatabase } from './rows.ts';

const all = { leaseMs: 60_000, free: new Map<string, number>(), perEndpoint: 1_000, failing: true };

/** A database with deliveries that are due. */
async function due(t: Test, count: number): Promise<Database> {
  const { db } = await openDatabase(t, 1);
  const store = await addStore(db);
  for (let made = 0; made < count; made += 1) await addPayment(db, store);
  await letReservationsEnd(db);
  await sql`vacuum full deliveries`.execute(db);
  return db;
}

async function updates(db: Database): Promise<{ updated: number; inPlace: number }> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ updated: number; inPlace: number }>`
    select n_tup_upd as updated, n_tup_hot_upd as "inPlace" from pg_stat_user_tables
    where relname = 'deliveries'`.execute(db);
  return rows[0]!;
}

t.test('what is claimed stays in its page, and in its places in the indexes', async (t) => {
  const db = await due(t, 40);
  const before = await updates(db);
  t.equal((await claimDueDeliveries(db, { ...all, limit: 40 })).length, 40);
  const after = await updates(db);
  t.same([after.updated - before.updated, after.inPlace - before.inPlace], [40, 40]);
});

t.test('however much is under way, it hides nothing that is due behind it', async (t) => {
  const db = await due(t, 220);
  const held = await claimDueDeliveries(db, { ...all, limit: 200 });
  t.equal(held.length, 200);
  t.equal((await claimDueDeliveries(db, { ...all, limit: 1 })).length, 1);
  const rest = { ...all, limit: 30 };
  t.equal((await claimDueDeliveries(db, rest)).length, 19);
  t.same(await claimBehindBacklog(db, { ...all, limit: 1 }), [], 'nor is it taken for a long queue');
});

t.test('of what is claimed endpoint by endpoint, nothing is lost when the second half fails', async (t) => {
  const { db, url } = await openDatabase(t);
  const store = await addStore(db);
  for (let made = 0; made < 80; made += 1) await addPayment(db, store);
  await letReservationsEnd(db);
  // From wherever it begins, one comes before its end and one after.
  const [first, last] = ['0', 'f'].map((digit) => `${digit.repeat(8)}-0000-7000-8000-000000000000`);
  const ofFirst = sql`id in (select id from deliveries order by id limit 40)`;
  await sql`update deliveries set endpoint = case when ${ofFirst} then ${first}::uuid else ${last} end`.execute(
    db,
  );
  const pause = await pauseOn(url, 'before update on deliveries', `new.endpoint = '${first}'`);
  const claiming = claimBehindBacklog(db, { ...all, limit: 4, perEndpoint: 2 });
  await pause.reached();
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  t.match(await claiming, [{ endpoint: last }, { endpoint: last }]);
  await pause.end();
});

t.test('what is lost twice no longer comes before what was due by then', async (t) => {
  const db = await due(t, 2);
  const one = { ...all, limit: 1 };
  const next = async (): Promise<ClaimedDelivery | undefined> => (await claimDueDeliveries(db, one))[0];
  const endLeases = () => sql`update deliveries set leased_until = now()`.execute(db);
  const first = await next();
  await endLeases();
  t.match(await next(), { id: first?.id, attempt: 2 }, 'once, it may have been chance');
  await endLeases();
  t.match(await next(), { attempt: 1 });
  t.match(await next(), { id: first?.id, attempt: 3 });
});

t.test('a lease is shown as the time of the next attempt, and leaves with the record', async (t) => {
  const db = await due(t, 1);
  const claimed = await claimOne(db);
  const shown = async () => Number((await findDelivery(db, claimed.id))?.nextAttemptAt) - Date.now();
  t.ok((await shown()) > 50_000, 'unless it is recorded before');
  t.equal(await record(db, claimed, { ...failed, retryInMs: 0 }), true);
  t.ok((await shown()) <= 0);
  const [again] = await claimDue(db);
  t.match(again, { id: claimed.id, attempt: 2 });
  t.equal(await record(db, again!), true);
  t.equal((await findDelivery(db, claimed.id))?.nextAttemptAt, null);
});
