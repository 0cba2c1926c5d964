import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import t, { type Test } from 'tap';
import type { Database } from '../../src/connection.ts';
import { claimDeliveries, releaseClaim } from '../../src/deliveries/claim.ts';
import { type PageOfStores, readDue, readDueByStore } from '../../src/deliveries/due.ts';
import { endLease, renewLease } from '../../src/deliveries/leases.ts';
import { findDelivery, readAttempts } from '../../src/deliveries/list.ts';
import { claimDue, claimOne, delivered, endLeases, failed, record, unsaid } from '../attempts.ts';
import { addPayment, addStore, openDatabase } from '../rows.ts';

const at = (path: string) => ({ webhookUrl: `https://shop.example.com/${path}` });

/** A database with one due delivery for each of these paths. */
async function due(t: Test, paths: string[]): Promise<{ db: Database; store: string }> {
  const { db } = await openDatabase(t, { poolSize: 1 });
  const store = await addStore(db);
  for (const path of paths) await addPayment(db, store, at(path));
  return { db, store };
}

const many = (count: number, path = 'hook') => Array.from({ length: count }, () => path);

async function updates(db: Database): Promise<{ updated: number; inPlace: number }> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ updated: number; inPlace: number }>`
    select n_tup_upd as updated, n_tup_hot_upd as "inPlace" from pg_stat_user_tables
    where relname = 'deliveries'`.execute(db);
  return rows[0]!;
}

t.test('a delivery is due as its event is committed, with all the data of an attempt', async (t) => {
  const { db } = await due(t, ['hook']);
  const [found] = await readDue(db, 10);
  t.match(found, { failures: 0, circuit: 'closed' });
  const claimed = await claimOne(db);
  t.match(claimed, { id: found?.id, attempt: 1, scheduledAttempt: 1, sequence: 1 });
  t.match(claimed, { type: 'payment.created', previousStatus: null, previous: null, refund: null });
  t.match(claimed, { probe: false, previousSecret: null, requestId: 'request-1' });
  t.match(JSON.parse(claimed.payment), { id: claimed.paymentId });
  t.same(await readDue(db, 10), [], 'nobody else finds it');
});

t.test('a claim stays in its page and writes no index entry', async (t) => {
  const { db } = await due(t, many(40));
  await sql`vacuum full deliveries`.execute(db);
  const before = await updates(db);
  t.equal((await claimDue(db)).length, 40);
  const after = await updates(db);
  t.same([after.updated - before.updated, after.inPlace - before.inPlace], [40, 40]);
});

t.test('nothing is claimed without a lease, nor after its end', async (t) => {
  const { db } = await due(t, ['hook']);
  const claim = { dispatcherId: randomUUID(), deliveries: await readDue(db, 10), probeMs: 1_000 };
  t.same(await claimDeliveries(db, claim), []);
  await renewLease(db, claim.dispatcherId, 60_000);
  await endLeases(db);
  t.same(await claimDeliveries(db, claim), []);
  await renewLease(db, claim.dispatcherId, 60_000);
  t.equal((await claimDeliveries(db, claim)).length, 1);
});

t.test('when a lease ends, its deliveries are due, and their attempts are shown as lost', async (t) => {
  const { db } = await due(t, many(3));
  const dispatcherId = randomUUID();
  const lost = await claimDue(db, dispatcherId);
  await renewLease(db, dispatcherId, 60_000);
  t.same(await claimDue(db), [], 'a renewed lease holds');
  await endLease(db, dispatcherId);
  const again = await claimDue(db);
  t.match(again, [{ attempt: 2 }, { attempt: 2 }, { attempt: 2 }]);
  t.match((await readAttempts(db, [again[0]!.id])).get(again[0]!.id), [
    { number: 1, error: { stage: 'lost', code: 'lost' }, durationMs: null },
  ]);
  t.equal(await record(db, lost[0]!), false, 'the claim is fenced');
});

t.test('the newest 50 attempts of a delivery are kept, lost ones among them', async (t) => {
  const { db } = await due(t, ['hook']);
  for (const _ of many(55)) await record(db, await claimOne(db), { ...unsaid, retryInMs: 0 });
  await claimOne(db);
  await endLeases(db);
  const { id } = await claimOne(db);
  const kept = (await readAttempts(db, [id])).get(id)?.map(({ number }) => number);
  t.same(
    kept,
    many(50).map((_, place) => 7 + place),
  );
});

t.test('a delivery with a lost attempt goes to the end of the queue', async (t) => {
  const { db } = await due(t, many(3));
  const dispatcherId = randomUUID();
  await renewLease(db, dispatcherId, 60_000);
  const head = async () => (await readDue(db, 10)).slice(0, 1);
  const [first] = await claimDeliveries(db, { dispatcherId, deliveries: await head(), probeMs: 1_000 });
  await endLeases(db);
  const deliveries = await head();
  t.equal(deliveries[0]?.id, first?.id, 'the first loss may be chance');
  const second = randomUUID();
  await renewLease(db, second, 60_000);
  t.equal((await claimDeliveries(db, { dispatcherId: second, deliveries, probeMs: 1_000 })).length, 1);
  await endLeases(db);
  t.equal((await readDue(db, 10)).at(-1)?.id, first?.id);
});

t.test('a released claim is due again after its rest, without a lost attempt', async (t) => {
  const { db } = await due(t, ['hook']);
  const claimed = await claimOne(db);
  await releaseClaim(db, claimed, 0);
  const again = await claimOne(db);
  t.match(again, { id: claimed.id, attempt: 2 });
  t.same((await readAttempts(db, [claimed.id])).get(claimed.id), []);
  await releaseClaim(db, claimed, 0);
  t.same(await claimDue(db), [], 'only its holder can release it');
});

t.test('an open circuit keeps its deliveries; after its rest a single claim probes it', async (t) => {
  const { db } = await due(t, many(4));
  const [one, two] = await claimDue(db);
  for (const delivery of [one!, two!]) await record(db, delivery, failed);
  await endLeases(db);
  t.match(await readDue(db, 10), [{ circuit: 'open', failures: 2 }, { circuit: 'open' }]);
  await db
    .updateTable('failingEndpoints')
    .set({ openUntil: new Date(0) })
    .execute();
  const found = await readDue(db, 10);
  t.match(found, [{ circuit: 'to-probe' }, { circuit: 'to-probe' }]);
  const probe = async (deliveries: typeof found) => {
    const dispatcherId = randomUUID();
    await renewLease(db, dispatcherId, 60_000);
    return claimDeliveries(db, { dispatcherId, deliveries, probeMs: 60_000 });
  };
  t.match(await probe(found.slice(0, 1)), [{ probe: true }]);
  t.same(await probe(found.slice(1)), [], 'while a probe is in flight, no other is claimed');
  t.match(await readDue(db, 10), [{ circuit: 'open' }]);
});

/** A page of many stores that share as many endpoints. */
const wholePage: PageOfStores = {
  after: null,
  endpointsAfter: new Map(),
  except: [],
  stores: 10,
  endpoints: 10,
  perEndpoint: 3,
};

/** Reads every page of a lap. */
async function readLap(db: Database, page: Partial<PageOfStores> = {}) {
  const pages: Awaited<ReturnType<typeof readDueByStore>>[] = [];
  let after: string | null = null;
  do {
    const read: (typeof pages)[number] = await readDueByStore(db, { ...wholePage, ...page, after });
    pages.push(read);
    after = read.next;
  } while (after !== null);
  return pages;
}

t.test('reading by store finds every store behind the long queue of one, page by page', async (t) => {
  const { db, store } = await due(t, many(20));
  const others = [await addStore(db), await addStore(db), await addStore(db)];
  for (const other of others) await addPayment(db, other, at('hook'));
  const pages = await readLap(db, { stores: 2 });
  t.equal(pages.length, 3, 'the last one is empty');
  const found = pages.flatMap(({ due }) => due.map(({ storeId }) => storeId));
  t.same(found, [store, store, store, ...others].sort(), 'some of the busy one, all of the others');
  const [{ due: rest }] = (await readLap(db, { except: [store] })) as [(typeof pages)[number]];
  t.same(rest.map(({ storeId }) => storeId).sort(), others.sort());
});

t.test('a page’s stores share its endpoints, and a store’s others follow in the next lap', async (t) => {
  const { db, store } = await due(t, ['a', 'b', 'c', 'd', 'e', 'a', 'b']);
  const other = await addStore(db);
  await addPayment(db, other, at('hook'));
  const seen: string[] = [];
  let endpointsAfter = new Map<string, string>();
  let laps = 0;
  do {
    const [page] = await readLap(db, { endpoints: 4, endpointsAfter });
    seen.push(...page!.due.flatMap(({ id, storeId }) => (storeId === store ? [id] : [])));
    t.ok(
      page?.due.some(({ storeId }) => storeId === other),
      'the other store is in every lap',
    );
    const unfinished = page!.visited.filter(({ next }) => next !== null);
    endpointsAfter = new Map(unfinished.map(({ storeId, next }) => [storeId, next as string]));
    laps += 1;
  } while (endpointsAfter.size > 0);
  t.equal(seen.length, 7);
  t.equal(new Set(seen).size, seen.length);
  t.equal(laps, 3, 'two endpoints of each store in a lap');
});

t.test('reading by store leaves out open circuits', async (t) => {
  const { db } = await due(t, [...many(4), 'other']);
  const claimed = await claimDue(db);
  const hooks = claimed.filter(({ url }) => url.endsWith('hook'));
  for (const delivery of hooks.slice(0, 2)) await record(db, delivery, failed);
  await endLeases(db);
  const [page] = await readLap(db);
  t.match(page?.due, [{ circuit: 'closed', failures: 0 }]);
  t.equal(page?.due.length, 1);
  await sql`update failing_endpoints set open_until = now()`.execute(db);
  const [rested] = await readLap(db);
  t.same(rested?.due.map(({ circuit }) => circuit).sort(), ['closed', 'to-probe', 'to-probe']);
});

t.test('endpoints with nothing due are not found', async (t) => {
  const { db } = await due(t, ['a', 'b']);
  const [first] = await claimDue(db);
  await record(db, first!, failed);
  await endLeases(db);
  const { due: found, next } = await readDueByStore(db, wholePage);
  t.match(found, [{ circuit: 'closed' }]);
  t.equal(found.length, 1);
  t.equal(next, null);
});

t.test('the next attempt is shown while there is one', async (t) => {
  const { db } = await due(t, ['hook']);
  const claimed = await claimOne(db);
  const shown = async () => (await findDelivery(db, claimed.id))?.nextAttemptAt;
  await record(db, claimed, failed);
  t.ok(Number(await shown()) > Date.now() + 3_000_000);
  t.match(await findDelivery(db, claimed.id), {
    lastError: { code: 'status', detail: '500' },
    attempts: 1,
    state: 'pending',
  });
  await sql`update deliveries set next_attempt_at = now()`.execute(db);
  await record(db, await claimOne(db), delivered);
  t.equal(await shown(), null);
});

t.test('claims and records keep the plans that they made on an empty table, and read by index', async (t) => {
  const { db, store } = await due(t, []);
  const deliver = async () => {
    await addPayment(db, store, at('hook'));
    t.ok(await record(db, await claimOne(db)));
  };
  for (const _ of many(8)) await deliver();
  const { rows: planned } = await sql<{ customPlans: number; genericPlans: number }>`
    select custom_plans, generic_plans from pg_prepared_statements
    where statement ~ 'update deliveries'`.execute(db);
  const five = { customPlans: 5, genericPlans: 3 };
  t.same(planned, [five, five], 'PostgreSQL takes five plans with values to compare');

  const before = await scanned(db);
  await deliver();
  t.equal(await scanned(db), before);
});

/** @returns how many rows of deliveries scans of the table have read */
async function scanned(db: Database): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ read: number }>`
    select seq_tup_read as read from pg_stat_user_tables where relname = 'deliveries'`.execute(db);
  return rows[0]!.read;
}
