import { newId } from '@payments/domain/identifiers';
import { startTestPair } from '@payments/testing/postgres-pair';
import { startOwnPostgres } from '@payments/testing/postgres-server';
import { sql } from 'kysely';
import t from 'tap';
import { connect, type Database, type Queryable } from '../../src/connection.ts';
import {
  type FeedPage,
  type FeedPlace,
  feedStart,
  findFeedPlace,
  followServer,
  readFeed,
} from '../../src/events/feed.ts';
import { migrateToLatest } from '../../src/migrate.ts';
import { insertPayment } from '../../src/payments/creation.ts';
import { inTransaction } from '../../src/transaction.ts';
import { addPayment, addStore, creation, move, moveWithin } from '../rows.ts';

// A server of its own: transactions of other databases hold the horizon, too, and so does an automatic ANALYZE.
const server = await startOwnPostgres();
const db = connect(server.url, { poolSize: 20 });
await sql`alter system set autovacuum = off`.execute(db);
await sql`select pg_reload_conf()`.execute(db);
await migrateToLatest(db);
// A count waits for the commit of another connection whose shard is the same, and here transactions stay open.
await sql`alter table payments disable trigger payments_created`.execute(db);
t.teardown(async () => {
  await db.destroy();
  await server.remove();
});

/** Reads on from a place to the end. @returns `payment sequence` of each event */
async function follow(
  db: Database,
  storeId: string,
  reader: { at: FeedPlace },
  limit = 3,
  of: Pick<FeedPage, 'from' | 'type'> = {},
): Promise<string[]> {
  const seen: string[] = [];
  for (;;) {
    const { events, reached } = await readFeed(db, { storeId, after: reader.at, limit, ...of });
    seen.push(...events.map(({ paymentId, sequence }) => `${paymentId} ${sequence}`));
    if (reached === reader.at) return seen;
    reader.at = reached;
  }
}

t.test('what commits later than its neighbours is passed by no reader', async (t) => {
  const storeId = await addStore(db);
  const reader = { at: feedStart };
  const slow = await db.startTransaction().execute();
  const late = creation(storeId);
  await insertPayment(slow, late);
  const early = await addPayment(db, storeId);
  t.same(await follow(db, storeId, reader), [], 'the earlier transaction may still write');
  await slow.commit().execute();
  t.strictSame(await follow(db, storeId, reader), [`${late.payment.id} 1`, `${early} 1`]);
  t.same(await follow(db, storeId, reader), [], 'and each is seen once');
});

t.test('a transaction that began first and waits for a payment tells its event last', async (t) => {
  const storeId = await addStore(db);
  const paymentId = await addPayment(db, storeId);
  const waiting = await db.startTransaction().execute();
  await sql`select pg_current_xact_id()`.execute(waiting);
  await move(db, paymentId, 'review');
  const reader = { at: feedStart };
  t.strictSame(await follow(db, storeId, reader), [`${paymentId} 1`]);
  await moveWithin(waiting, paymentId, 'approved');
  await waiting.commit().execute();
  t.strictSame(await follow(db, storeId, reader), [`${paymentId} 2`, `${paymentId} 3`]);
});

t.test('a transaction that is undone holds nobody up', async (t) => {
  const storeId = await addStore(db);
  const undone = await db.startTransaction().execute();
  await insertPayment(undone, creation(storeId));
  const kept = await addPayment(db, storeId);
  await undone.rollback().execute();
  t.strictSame(await follow(db, storeId, { at: feedStart }), [`${kept} 1`]);
});

t.test('readers beside writers that commit in any order skip nothing, and see nothing twice', async (t) => {
  const [storeId, other] = [await addStore(db), await addStore(db)];
  let isWriting = true;
  const write = async (writer: number) => {
    for (let turn = 0; turn < 25; turn += 1) {
      const store = (turn + writer) % 5 === 0 ? other : storeId;
      await inTransaction(db, (trx) => writeSome(trx, store, turn));
    }
  };
  const read = async (limit: number) => {
    const reader = { at: feedStart };
    const seen: string[] = [];
    while (isWriting) seen.push(...(await follow(db, storeId, reader, limit)));
    return [...seen, ...(await follow(db, storeId, reader, limit))];
  };
  const readers = [1, 7, 200].map(read);
  await Promise.all(Array.from({ length: 12 }, (_, writer) => write(writer)));
  isWriting = false;
  const events = await db
    .selectFrom('events')
    .select(['paymentId', 'sequence'])
    .where('storeId', '=', storeId)
    .execute();
  const all = events.map(({ paymentId, sequence }) => `${paymentId} ${sequence}`).sort();
  for (const seen of await Promise.all(readers)) {
    t.strictSame(seen.toSorted(), all);
    t.ok(seen.every(isInOrder), 'a payment’s events keep their order');
  }
});

/** A payment's event follows the one before it. */
function isInOrder(event: string, index: number, seen: readonly string[]): boolean {
  const [paymentId, sequence] = event.split(' ');
  return sequence === '1' || seen.slice(0, index).includes(`${paymentId} ${Number(sequence) - 1}`);
}

async function writeSome(trx: Queryable, storeId: string, turn: number): Promise<void> {
  const id = await addPayment(trx, storeId);
  await sql`select pg_sleep(random() / 100)`.execute(trx);
  if (turn % 2 === 0) await moveWithin(trx, id, 'approved');
}

t.test('a feed of one type, and one that begins at a moment', async (t) => {
  const storeId = await addStore(db);
  const hour = 3_600_000;
  const begin = Date.now() - 10 * hour;
  for (let number = 0; number < 10; number += 1)
    await addPayment(db, storeId, { createdAt: new Date(begin + number * hour), id: newId() });
  const from = new Date(begin + 7 * hour);
  const after = await findFeedPlace(db, storeId, from);
  const { events } = await readFeed(db, { storeId, after, from, limit: 200 });
  t.strictSame(
    events.map(({ occurredAt }) => (occurredAt.getTime() - begin) / hour),
    [7, 8, 9],
  );
  const fromThere = await readFeed(db, { storeId, after, limit: 200 });
  t.ok(fromThere.events.length <= 4, 'not read from the first');
  t.same(await follow(db, storeId, { at: feedStart }, 10, { type: 'refund.updated' }), []);
});

t.test(
  'a feed that begins at a moment skips nothing after a server with a clock behind took over',
  async (t) => {
    const storeId = await addStore(db);
    const end = Date.now() - 3_600_000;
    const addAt = (seconds: number) =>
      addPayment(db, storeId, { createdAt: new Date(end + seconds * 1_000), id: newId() });
    for (let seconds = -300; seconds <= 0; seconds += 20) await addAt(seconds);
    await sql`update feed_origin set timelines_before = timelines_before + 1`.execute(db);
    for (let seconds = -110; seconds <= 30; seconds += 20) await addAt(seconds);
    for (const ago of [60, 45, 30, 10]) {
      const from = new Date(end - ago * 1_000);
      const { events: all } = await readFeed(db, { storeId, after: feedStart, from, limit: 200 });
      const after = await findFeedPlace(db, storeId, from);
      t.equal(
        (await readFeed(db, { storeId, after, from, limit: 200 })).events.length,
        all.length,
        `${ago} s`,
      );
    }
  },
);

t.test('a page that passes over all that it may loses nothing at its end, and repeats nothing', async (t) => {
  const storeId = await addStore(db);
  const paymentId = await addPayment(db, storeId);
  const wanted = [2, 19_999, 20_000, 20_001, 39_998, 40_001];
  const [type, from] = ['payment.status_changed', new Date()] as const;
  await sql`
    insert into events (id, payment_id, store_id, sequence, type, status, payload, actor, occurred_at, place)
    select gen_random_uuid(), payment_id, store_id, n, case when n = any(${wanted}) then ${type} else type end, status,
      payload, actor, ${from}::timestamptz - case when n = any(${wanted}) then interval '0' else interval '1 hour' end, place
    from events, generate_series(2, 41000) n where payment_id = ${paymentId}`.execute(db);
  const all = wanted.map((sequence) => `${paymentId} ${sequence}`);
  for (const only of [{ type }, { from }])
    for (const limit of [1, 200]) {
      const reader = { at: feedStart };
      t.strictSame(await follow(db, storeId, reader, limit, only), all, `${limit} of ${Object.keys(only)}`);
    }
});

t.test('another server, whose transactions count from 1, goes on behind what there is', async (t) => {
  const storeId = await addStore(db);
  const reader = { at: feedStart };
  await addPayment(db, storeId);
  // As after a dump was read on another server: what there is has higher numbers than its transactions.
  await sql`update events set place = place + 1000000`.execute(db);
  await sql`update feed_origin set system_identifier = 1`.execute(db);
  await followServer(db);
  await followServer(db);
  const [kept] = await follow(db, storeId, reader);
  t.ok(kept);
  const next = await addPayment(db, storeId);
  t.strictSame(await follow(db, storeId, reader), [`${next} 1`]);
});

t.test(
  'a failover that gives transaction numbers again hides nothing from a reader who was ahead',
  async (t) => {
    const pair = await startTestPair();
    t.teardown(() => pair.remove());
    const [here, there] = [pair.primary.url, pair.standby.url].map((url) => connect(url)) as [
      Database,
      Database,
    ];
    t.teardown(() => Promise.all([here.destroy(), there.destroy()]));
    const storeId = await addStore(here);
    const reader = { at: feedStart };
    const kept = await addPayment(here, storeId);
    t.strictSame(await follow(here, storeId, reader), [`${kept} 1`]);
    // The standby gets nothing of these: their numbers are given again.
    await pair.becomeAsynchronous();
    await pair.stopReplication();
    for (let count = 0; count < 5; count += 1) await addPayment(here, storeId);
    t.equal((await follow(here, storeId, reader)).length, 5, 'a reader is ahead of the standby');
    await pair.promote();
    const later = await retried(() => addPayment(there, storeId));
    t.strictSame(await follow(there, storeId, reader), [`${later} 1`]);
  },
);

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
