import { createTestDatabase } from '@payments/testing/database';
import { eventually } from '@payments/testing/patience';
import { lockTable, untilWaiting } from '@payments/testing/pause';
import { type PostgresPoolClient, sql } from 'kysely';
import t from 'tap';
import { connect, type Database, poolUsage, shareOf } from '../src/connection.ts';
import { DatabaseUnavailable } from '../src/errors.ts';
import { sharedPing } from '../src/health.ts';
import { inLimitedTime, TookTooLong } from '../src/limited-time.ts';
import { inTurns } from '../src/turns.ts';

/** A pool whose share of two is for work that others must not wait for. */
async function open(t: { teardown(end: () => Promise<void>): void }) {
  const { url, drop } = await createTestDatabase();
  const db = connect(url, { poolSize: 3 });
  t.teardown(async () => {
    await db.destroy();
    await drop();
  });
  return { url, db, share: shareOf(db, 2) };
}

const countStores = (db: Database) => sql`select count(*) from stores`.execute(db);
const one = (db: Database) => sql<{ one: number }>`select 1 as one`.execute(db);

t.test('a share holds no more connections than its own, and others have the rest', async (t) => {
  const { url, db, share } = await open(t);
  // All connections are there: whoever waits for a place of the share waits for two short statements.
  await Promise.all([1, 2, 3].map(() => one(db)));
  const lock = await lockTable(url, 'stores');
  const running = [1, 2].map(() => countStores(share));
  await untilWaiting(url, 2);
  const waiting = [3, 4].map(() => countStores(share));
  t.same((await one(db)).rows, [{ one: 1 }]);
  t.equal(await lock.waiters(), 2);
  await lock.end();
  await Promise.all([...running, ...waiting]);
  t.equal(poolUsage(db).waiting, 0);
});

t.test('who gets no place in five seconds is told so, and takes none later', async (t) => {
  const { url, db, share } = await open(t);
  const lock = await lockTable(url, 'stores');
  const waiting = [1, 2].map(() => countStores(share));
  await untilWaiting(url, 2);
  await t.rejects(one(share), DatabaseUnavailable);
  await lock.end();
  await Promise.all(waiting);
  await Promise.all([1, 2, 3].map(() => one(share)));
  t.ok(poolUsage(db).open <= 3);
});

t.test('all who ask for health at once take one connection, and share its answer', async (t) => {
  const { url, db } = await open(t);
  const ping = sharedPing(db, 3_600_000);
  const lock = await lockTable(url, 'stores');
  const running = [1, 2, 3].map(() => countStores(db));
  await untilWaiting(url, 3);
  const asked = Array.from({ length: 50 }, ping);
  await eventually('a place in the queue', async () => poolUsage(db).waiting === 1 || undefined);
  await lock.end();
  await Promise.all([...running, ...asked]);
  const next = ping();
  t.not(next, asked[0], 'whoever asks later is answered anew');
  await next;
});

t.test('a look at health that hangs is shared for a time, and two take no more connections', async (t) => {
  const { url, db } = await open(t);
  const ping = sharedPing(db, 1);
  const lock = await lockTable(url, 'stores');
  const running = [1, 2, 3].map(() => countStores(db));
  await untilWaiting(url, 3);
  const asked = new Set<Promise<void>>();
  await eventually('three looks', async () => asked.add(ping()).size > 2 || undefined);
  t.equal(poolUsage(db).waiting, 2);
  await lock.end();
  await Promise.all([...running, ...asked]);
});

t.test('a statement that fails, and a transaction that is rolled back, leave their places', async (t) => {
  const { share } = await open(t);
  for (let n = 0; n < 5; n += 1) {
    await t.rejects(sql`select 1 / 0`.execute(share));
    await t.rejects(
      share.transaction().execute(() => {
        throw new Error('no');
      }),
    );
  }
  t.same((await one(share)).rows, [{ one: 1 }]);
});

t.test('a connection that is released to be destroyed leaves the pool', async (t) => {
  const released: (boolean | undefined)[] = [];
  const take = inTurns({ most: 1, patienceMs: 60_000 });
  const client = () =>
    ({ release: (destroy?: boolean) => void released.push(destroy) }) as PostgresPoolClient;
  for (const destroy of [true, undefined]) (await take(async () => client())).release(destroy);
  t.same(released, [true, undefined]);
});

t.test('a read in limited time: its statements end, and the connection is as before', async (t) => {
  const { db, share } = await open(t);
  const sleep = inLimitedTime(share, 1_000, (trx) => sql`select pg_sleep(600)`.execute(trx));
  await t.rejects(sleep, TookTooLong);
  for (let n = 0; n < 3; n += 1) {
    const { rows } = await sql<{ most: string }>`select current_setting('statement_timeout') as most`.execute(
      db,
    );
    t.equal(rows[0]?.most, '30s');
  }
  const fault = inLimitedTime(share, 60_000, (trx) => sql`select 1 / 0`.execute(trx));
  await t.rejects(fault, { message: 'division by zero' });
});
