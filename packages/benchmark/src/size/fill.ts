import { query } from '@payments/testing/sessions';
import { fillPayments } from '../fill-tables.ts';

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

/** Every payment's events, the approved ones' Pix, and one return in fifty of these. */
const rows = [
  `insert into events (id, payment_id, store_id, sequence, type, status, previous_status, payload, actor, occurred_at, place)
    select case sequence when 1 then p.id else uuidv7(p.created_at - clock_timestamp() + interval '1 minute') end, p.id,
      p.store_id, sequence, type, case sequence when 1 then 'pending' else p.status end,
      case sequence when 2 then 'pending' end, json_build_object('text', repeat('x', 600)), 'psp',
      p.created_at + interval '1 minute' * (sequence - 1), row_number() over (order by p.id, sequence)
    from payments p, (values (1, 'payment.created'), (2, 'payment.status_changed')) step (sequence, type)
    where sequence = 1 or p.status <> 'pending'`,
  `insert into pix_received (end_to_end_id, bank, payment_id, txid, amount, effect, paid_at, received_at)
    select 'E' || replace(id::text, '-', ''), 'default', id, replace(id::text, '-', ''), amount, 'approved', approved_at,
      approved_at
    from payments where status = 'approved'`,
  `insert into refunds (id, end_to_end_id, bank, payment_id, amount, wanted, origin, reason, state, tries, made_at,
      given_back, ordinal, created_at, updated_at)
    select replace(payment_id::text, '-', ''), end_to_end_id, bank, payment_id, 500, 500, 'service', 'requested',
      'refunded', 1, paid_at + interval '1 day', 500, 1, paid_at, paid_at + interval '1 day'
    from pix_received where hashtext(end_to_end_id) % 50 = 0`,
  `insert into daily_totals (day, store_id, status, bank, created, created_amount, approved, approved_amount, fee_amount,
      received, refunded_amount, given_back)
    select day_of(moment), store_id, status, bank, sum(created), sum(created_amount), sum(approved), sum(approved_amount),
      sum(fee_amount), sum(received), sum(refunded_amount), sum(given_back)
    from figures group by 1, 2, 3, 4`,
];

/** Fills what finance reads of the payments that a database has, straight into the tables. */
async function fillBooks(databaseUrl: string): Promise<void> {
  for (const statement of rows)
    await query(databaseUrl, `set session_replication_role = 'replica'; ${statement}`);
  for (const table of ['payments', 'events', 'pix_received', 'refunds', 'daily_totals'])
    await query(databaseUrl, `vacuum (analyze) ${table}`);
}
