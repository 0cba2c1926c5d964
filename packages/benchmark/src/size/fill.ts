import { inSession, query } from '@payments/testing/sessions';
import { fillPayments } from '../fill-tables.ts';

/** What is filled: payments with all that finance reads of them, or the events of so many payments. */
export type Part = 'payments' | 'events';

// A fill that is cut off starts again, so it need not survive a power cut.
const unsafe = { fsync: 'off', full_page_writes: 'off', max_wal_size: '4GB' };

const daysOfYear = 365;

/**
 * Fills a year of payments of a database's only store: the payments with their Pix, returns and totals, or their events,
 * or both.
 * @returns some of the payments' ids, from all times
 */
export async function fill(url: string, size: number, parts: readonly Part[]): Promise<string[]> {
  await query(url, 'create extension pg_stat_statements');
  for (const [name, value] of Object.entries(unsafe)) {
    await query(url, `alter system set ${name} = '${value}'`);
  }
  await query(url, 'select pg_reload_conf()');
  if (parts.includes('payments')) await beforeIndexes(url, booked, () => fillBooked(url, size));
  if (parts.includes('events')) await beforeIndexes(url, ['events'], () => inReplica(url, events(size)));
  for (const name of Object.keys(unsafe)) await query(url, `alter system reset ${name}`);
  await query(url, 'select pg_reload_conf()');
  await query(url, 'checkpoint');
  const sample = await query<{ id: string }>(
    url,
    `select id from payments tablesample system (${Math.min(100, 500_000 / size)})`,
  );
  return sample.map(({ id }) => id);
}

const booked = ['payments', 'pix_received', 'refunds', 'daily_totals'];

async function fillBooked(url: string, size: number): Promise<void> {
  await fillPayments(url, size, daysOfYear);
  for (const statement of books) await inReplica(url, statement);
}

const inReplica = (url: string, statement: string) =>
  query(url, `set session_replication_role = 'replica'; ${statement}`);

/** Every approved payment's Pix, one return in fifty of these, and their days. */
const books = [
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

/** The first event of each payment, and the second of nine in ten. Their payments need not be there. */
const events = (size: number) => `
  insert into events (id, payment_id, store_id, sequence, type, status, previous_status, payload, actor, occurred_at, place)
    select case sequence when 1 then made.id else uuidv7(at - clock_timestamp() + interval '1 minute') end, made.id,
      stores.id, sequence, type, status, previous_status, json_build_object('text', repeat('x', 600)), 'psp',
      at + interval '1 minute' * (sequence - 1), row_number() over ()
    from stores, (
      select n, at, uuidv7(at - clock_timestamp()) as id from generate_series(1, ${size}) n, lateral (
        select now() - interval '${daysOfYear} days' * (1 - n::float8 / ${size}) as at) time
    ) made, (values
      (1, 'payment.created', 'pending', null), (2, 'payment.status_changed', 'approved', 'pending')
    ) step (sequence, type, status, previous_status)
    where sequence = 1 or n % 10 <> 0`;

/**
 * Fills tables, then makes their indexes, each by one sort, and vacuums. Row by row, an index that is larger than memory
 * would be read and written over and over.
 */
async function beforeIndexes(
  url: string,
  tables: readonly string[],
  run: () => Promise<unknown>,
): Promise<void> {
  const indexes = await query<{ name: string; definition: string }>(
    url,
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
      where indrelid = any ($1::regclass[]) and not exists (select from pg_constraint where conindid = indexrelid)`,
    [tables],
  );
  for (const { name } of indexes) await query(url, `drop index ${name}`);
  await run();
  await inSession(url, async (client) => {
    await client.query(`set maintenance_work_mem = '2GB'`);
    for (const { definition } of indexes) await client.query(definition);
  });
  for (const table of tables) await query(url, `vacuum (analyze) ${table}`);
}
