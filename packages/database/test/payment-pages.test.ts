import { firstIdOf } from '@payments/domain/identifiers';
import { sql } from 'kysely';
import t from 'tap';
import type { Database } from '../src/connection.ts';
import { countList } from '../src/payments/counts.ts';
import { farAway, listPlaces } from '../src/payments/list-places.ts';
import { listPayments } from '../src/payments/pages.ts';
import { addPayment, addStore, move, openDatabase } from './rows.ts';

const now = () => new Date();

t.test('pages are those of one order, newest first, from whichever end they are read', async (t) => {
  const { db } = await openDatabase(t);
  const [storeId, other] = [await addStore(db), await addStore(db)];
  const lists = { db, places: listPlaces(now) };
  const ids: string[] = [];
  for (let index = 0; index < 13; index += 1) {
    ids.unshift(await addPayment(db, storeId));
    await addPayment(db, other);
  }
  for (const limit of [1, 2, 3, 5, 6, 7, 12, 13, 14]) {
    for (const filter of [{ storeId }, { storeId, status: 'pending' as const }]) {
      const pages = Math.ceil(ids.length / limit);
      for (let page = 1; page <= pages + 1; page += 1) {
        const { items, total } = await listPayments(lists, filter, { page, limit });
        const expected = ids.slice((page - 1) * limit, page * limit);
        t.same(
          items.map(({ id }) => id),
          expected,
          `page ${page} of ${limit}`,
        );
        t.equal(total, ids.length);
      }
    }
  }
});

t.test('pages far from both ends are read from others that were read before', async (t) => {
  const { db } = await openDatabase(t);
  const [storeId, other] = [await addStore(db), await addStore(db)];
  const stored = 6 * farAway;
  const longAgo = Date.now() - 40 * 86_400_000;
  const idAt = (index: number) => firstIdOf(new Date(longAgo + index));
  await fill(
    db,
    storeId,
    Array.from({ length: stored }, (_, index) => idAt(2 * index)),
  );
  await fill(
    db,
    other,
    Array.from({ length: stored }, (_, index) => idAt(2 * index + 1)),
  );
  const places = listPlaces(now);
  const newest: string[] = [];
  const read = async (page: number, limit: number) => {
    const { items, total } = await listPayments({ db, places }, { storeId }, { page, limit });
    const all = [...newest, ...Array.from({ length: stored }, (_, index) => idAt(2 * (stored - 1 - index)))];
    const expected = all.slice((page - 1) * limit, page * limit);
    t.same([items.map(({ id }) => id), total], [expected, all.length], `page ${page} of ${limit}`);
  };
  for (const page of [80, 120, 121, 119, 1, 300, 301, 299, 200, 450, 600]) {
    await read(page, 50);
    newest.unshift(await addPayment(db, storeId));
  }
  const known = places.of(`${storeId} `, 0);
  t.equal(known.length, 3, 'places are known');
  for (const { id, below } of known) t.equal(id, idAt(2 * below), `${below} rows are below it`);
  for (const [page, limit] of [
    [300, 50],
    [1_500, 10],
    [88, 170],
    [211, 50],
    [30_011, 1],
  ] as const)
    await read(page, limit);
  t.same(places.of(`${other} `, 0), []);
});

t.test('pages of a status are, too, until a payment that is not new leaves it or comes to it', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const stored = 6 * farAway;
  const longAgo = Date.now() - 40 * 86_400_000;
  const old = Array.from({ length: stored }, (_, index) => firstIdOf(new Date(longAgo + index)));
  await fill(db, storeId, old);
  let expected = old.toReversed();
  const places = listPlaces(now);
  const known = async () => {
    const { lateMoves } = await countList(db, { storeId, status: 'pending' });
    return places.of(`${storeId} pending`, lateMoves).length;
  };
  const read = async (page: number, limit = 50) => {
    const filter = { storeId, status: 'pending' as const };
    const { items, total } = await listPayments({ db, places }, filter, { page, limit });
    const rows = expected.slice((page - 1) * limit, page * limit);
    t.same([items.map(({ id }) => id), total], [rows, expected.length], `page ${page} of ${limit}`);
  };
  const leave = async (id: string) => {
    await move(db, id, 'approved');
    expected = expected.filter((other) => other !== id);
  };

  for (const page of [120, 300, 450]) await read(page);
  t.equal(await known(), 3);
  const young = await addPayment(db, storeId);
  expected.unshift(young);
  await read(121);
  await leave(young);
  await read(299);
  t.equal(await known(), 3, 'what is new is above all of them');

  await leave(old[10_000] as string);
  t.equal(await known(), 0);
  for (const page of [120, 300, 301, 299, 450, 451]) await read(page);
  t.equal(await known(), 3);
  await read(30_000 - 12_345, 1);
});

/** Enters pending payments with these ids, counted. */
async function fill(db: Database, storeId: string, ids: string[]): Promise<void> {
  await sql`
    insert into payments (id, store_id, status, charged, amount, is_public, copy_and_paste, charge_state, expires_at,
      expiry_check_at, events, created_at)
    select id, ${storeId}, 'pending', 1000, 1000, true, 'code', 'registered', now(), now(), 1, now() - interval '40 days'
    from unnest(${ids}::uuid[]) id`.execute(db);
  await sql`insert into payment_counts values (${storeId}, 'pending', 200, ${ids.length}, 0)`.execute(db);
}
