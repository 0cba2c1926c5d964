import { newId } from '@payments/domain/identifiers';
import type { Notice } from '@payments/notices/kinds';
import { sql } from 'kysely';
import t from 'tap';
import type { Database, Queryable } from '../../src/connection.ts';
import { findUntoldBanks, findUntoldEndpoints, markTold } from '../../src/notices/conditions.ts';
import { writeNotices } from '../../src/notices/notices.ts';
import { removeOldNotices } from '../../src/notices/retention.ts';
import { shareNotices } from '../../src/notices/share.ts';
import { addStore, openDatabase } from '../rows.ts';

// Conditions that last, as looks at them see them, by a clock that the tests move.
const start = new Date('2026-11-23T12:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);

async function failing(db: Queryable, { since = start, isOpen = true } = {}): Promise<string> {
  const id = newId();
  await sql`
    insert into failing_endpoints (id, store_id, url, failures, openings, failing_since, open_until)
    values (${id}, ${await addStore(db)}, 'https://shop.example/hook', 9, 2, ${since}, ${isOpen ? after(60_000) : null})
  `.execute(db);
  return id;
}

type Endpoints = Awaited<ReturnType<typeof findUntoldEndpoints>>;

const untoldIds = async (db: Queryable) => (await findUntoldEndpoints(db, 10)).map(({ id }) => id);

/** @returns how many notices are new */
const write = (db: Queryable, endpoints: Endpoints) =>
  writeNotices(
    db,
    endpoints.map(({ id: endpointId, storeId, key, since: occurredAt, failures }): Notice => {
      const facts = { endpointId, host: 'shop.example', failures };
      return { kind: 'endpoint_failing', key, storeId, occurredAt, facts };
    }),
  );

/** One look, as a dispatcher does it. */
async function tell(db: Queryable): Promise<number> {
  const endpoints = await findUntoldEndpoints(db, 10);
  const told = await write(db, endpoints);
  await markTold(db, endpoints);
  return told;
}

/** Shares all notices, and removes those that nothing would tell again. */
async function removeShared(db: Database): Promise<number> {
  await shareNotices(db, { limit: 10, now: () => start, collectMs: 0, toPeople: false, toWebhook: null });
  return removeOldNotices(db, { before: after(60_000), comparedSince: '2026-11-16', limit: 10 });
}

t.test('an endpoint is told once while it fails, and again if it recovered and failed anew', async (t) => {
  const { db } = await openDatabase(t);
  await failing(db, { isOpen: false });
  const later = await failing(db, { since: after(1) });
  const first = await failing(db);
  t.same(await untoldIds(db), [first, later], 'open ones, first the one that fails longest');
  t.equal(await tell(db), 2);
  await db.updateTable('failingEndpoints').set({ failures: 10 }).where('id', '=', first).execute();
  t.same(await untoldIds(db), [], 'it fails on');
  // A success and a failure that are judged together leave the row, and another beginning.
  await db
    .updateTable('failingEndpoints')
    .set({ failingSince: after(2) })
    .where('id', '=', first)
    .execute();
  t.same(await untoldIds(db), [first]);
  t.equal(await tell(db), 1);
});

t.test('two dispatchers that look at once, and one that dies before its mark, tell once', async (t) => {
  const { db } = await openDatabase(t);
  for (let made = 0; made < 5; made += 1) await failing(db);
  // Two that die.
  const [one, other] = [await findUntoldEndpoints(db, 3), await findUntoldEndpoints(db, 10)];
  const written = await Promise.all([write(db, one), write(db, other)]);
  t.equal(written[0] + written[1], 5);
  t.equal((await untoldIds(db)).length, 5);
  const told = await Promise.all([tell(db), tell(db), tell(db)]);
  t.same(told, [0, 0, 0]);
  t.same(await untoldIds(db), []);
});

t.test('an endpoint that failed anew between the look and the mark is told of that too', async (t) => {
  const { db } = await openDatabase(t);
  const id = await failing(db);
  const seen = await findUntoldEndpoints(db, 10);
  await db
    .updateTable('failingEndpoints')
    .set({ failingSince: after(1) })
    .execute();
  await write(db, seen);
  await markTold(db, seen);
  t.same(await untoldIds(db), [id]);
  t.equal(await tell(db), 1);
});

t.test('a mark does not wait for a delivery’s verdict, and is made later', async (t) => {
  const { db } = await openDatabase(t);
  const held = await failing(db);
  await failing(db);
  await db.transaction().execute(async (trx) => {
    await trx.selectFrom('failingEndpoints').select('id').where('id', '=', held).forUpdate().execute();
    t.equal(await tell(db), 2);
    t.same(await untoldIds(db), [held]);
  });
  t.equal(await tell(db), 0);
  t.same(await untoldIds(db), []);
});

t.test('a notice goes once it is old and nothing would tell it again', async (t) => {
  const { db } = await openDatabase(t);
  await failing(db);
  const bb = { id: 'bb', psp: 'bb', knownSince: start, failingSince: start, failingUntil: after(60_000) };
  await db.insertInto('banks').values(bb).execute();
  const endpoints = await findUntoldEndpoints(db, 10);
  const banks = await findUntoldBanks(db, start);
  t.match([endpoints.length, banks.length], [1, 1]);
  await write(db, endpoints);
  const ofBanks = banks.map(({ id: bank, key, since: occurredAt }): Notice => {
    return { kind: 'bank_failing', key, storeId: null, occurredAt, facts: { bank } };
  });
  await writeNotices(db, ofBanks);
  t.equal(await removeShared(db), 0, 'neither is marked');
  await markTold(db, endpoints);
  t.equal(await removeShared(db), 1, 'the endpoint’s, though it fails on');
  t.same([await untoldIds(db), await findUntoldBanks(db, start)], [[], []]);

  await db
    .updateTable('banks')
    .set({ failingSince: after(1), failingUntil: after(60_000) })
    .execute();
  t.equal(await removeShared(db), 1);
  t.match(await findUntoldBanks(db, start), [{ id: 'bb', since: after(1) }], 'it failed anew');

  await failing(db);
  await write(db, await findUntoldEndpoints(db, 10));
  await db.deleteFrom('failingEndpoints').execute();
  t.equal(await removeShared(db), 1, 'that of an endpoint that recovered before the mark');
});
