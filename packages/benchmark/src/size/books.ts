import type { Database } from '@payments/database/connection';
import { feedStart, findFeedPlace, readFeed } from '@payments/database/events/feed';
import { searchPayments } from '@payments/database/payments/search';
import { readOurDay } from '@payments/database/reconciliation/checked-days';
import { readStatement } from '@payments/database/totals/statement';
import { readTotals } from '@payments/database/totals/totals';
import { addDays, dayOf, startOf } from '@payments/domain/days';
import { query } from '@payments/testing/sessions';
import type { Filled } from './statements.ts';

const dayMs = 86_400_000;

/** @returns what finance reads of a year, each by a function that runs it */
export function booksOf(
  db: Database,
  { storeId, ids }: Filled,
): [what: string, run: () => Promise<unknown>][] {
  let turn = 0;
  const id = () => ids[turn++ % ids.length] as string;
  const today = dayOf(new Date());
  const year = { since: startOf(addDays(today, -364)) };
  const [since, until] = [startOf(addDays(today, -100)), startOf(addDays(today, -99))];
  return [
    ['totals of a year by day', () => readTotals(db, { by: 'day', ...year })],
    ['totals of a year by status, of a store', () => readTotals(db, { by: 'status', storeId, ...year })],
    [
      'a statement of a year by month',
      () => readStatement(db, { storeId, from: addDays(today, -364), by: 'month' }),
    ],
    [
      'a statement of a month by day',
      () => readStatement(db, { storeId, from: addDays(today, -30), by: 'day' }),
    ],
    ['our side of a conciliação: a day of the year', () => readOurDay(db, { bank: 'default', since, until })],
    [
      'search for a text that few have',
      () => searchPayments(db, { q: 'pedido 4711' }, { page: 1, limit: 20 }),
    ],
    ['search for a text that all have', () => searchPayments(db, { q: 'cliente@' }, { page: 1, limit: 20 })],
    [
      'search for a text that none has',
      () => searchPayments(db, { q: id().slice(0, 13) }, { page: 1, limit: 20 }),
    ],
  ];
}

/** @returns reads of a store's feed, each by a function that runs it */
export function feedOf(db: Database, storeId: string): [what: string, run: () => Promise<unknown>][] {
  const limit = 100;
  const halfYearAgo = new Date(Date.now() - 182 * dayMs);
  return [
    ['100 events of the feed from its begin', () => readFeed(db, { storeId, after: feedStart, limit })],
    ['the place of the feed half a year ago', () => findFeedPlace(db, storeId, halfYearAgo)],
    [
      '100 events of the feed from there',
      async () => readFeed(db, { storeId, after: await findFeedPlace(db, storeId, halfYearAgo), limit }),
    ],
  ];
}

/** @returns the time of a vacuum after what autovacuum waits for, two changed rows in a hundred */
export async function vacuumOf(url: string): Promise<[what: string, cell: string]> {
  await query(
    url,
    `set session_replication_role = 'replica'; update payments set request_id = 'changed' where hashtext(id::text) % 50 = 0`,
  );
  const from = performance.now();
  await query(url, 'vacuum payments');
  return ['a vacuum of payments after 2 % changed', `${((performance.now() - from) / 1_000).toFixed(1)} s`];
}

/** @returns the disk of a payment in each table that was filled */
export async function diskOf(url: string, size: number): Promise<[what: string, cell: string][]> {
  const tables = await query<{ name: string; table: number; indexes: number }>(
    url,
    `select relname as name, pg_table_size(oid)::float8 as table, pg_indexes_size(oid)::float8 as indexes from pg_class
      where relname in ('payments', 'events', 'pix_received', 'refunds') and reltuples > 0 order by relname`,
  );
  return tables.map(({ name, table, indexes }) => [
    `${name} and their indexes, a payment`,
    `${Math.round(table / size)} and ${Math.round(indexes / size)} bytes`,
  ]);
}
