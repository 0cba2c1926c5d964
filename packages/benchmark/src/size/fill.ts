import { fillPayments } from '../fill-payments.ts';
import { query } from '../ground.ts';
import { fillBooks } from './fill-books.ts';

// A fill that is cut off starts again, so it need not survive a power cut.
const unsafe = { fsync: 'off', full_page_writes: 'off', max_wal_size: '16GB' };

const daysOfYear = 365;

/**
 * Fills a year of payments of a database's only store, with their events, Pix, returns and totals.
 * @returns some of their ids, from all times, and the size of the table and of its indexes
 */
export async function fill(url: string, size: number): Promise<{ ids: string[]; tables: string }> {
  await query(url, 'create extension pg_stat_statements');
  for (const [name, value] of Object.entries(unsafe)) {
    await query(url, `alter system set ${name} = '${value}'`);
  }
  await query(url, 'select pg_reload_conf()');
  await fillPayments(url, size, daysOfYear);
  await fillBooks(url);
  for (const name of Object.keys(unsafe)) await query(url, `alter system reset ${name}`);
  await query(url, 'select pg_reload_conf()');
  await query(url, 'checkpoint');
  const [disk] = await query<{ table: string; indexes: string }>(
    url,
    `select pg_size_pretty(pg_table_size('payments')) as table, pg_size_pretty(pg_indexes_size('payments')) as indexes`,
  );
  const sample = await query<{ id: string }>(
    url,
    `select id from payments tablesample system (${Math.min(100, 500_000 / size)})`,
  );
  return { ids: sample.map(({ id }) => id), tables: `${disk?.table} and ${disk?.indexes}` };
}
