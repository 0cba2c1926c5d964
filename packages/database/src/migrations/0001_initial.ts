import { type Kysely, sql } from 'kysely';
import { accounts } from './0001_initial/accounts.ts';
import { administration } from './0001_initial/administration.ts';
import { deliveries } from './0001_initial/deliveries.ts';
import { events } from './0001_initial/events.ts';
import { payments } from './0001_initial/payments.ts';
import { people } from './0001_initial/people.ts';
import { pix } from './0001_initial/pix.ts';
import { stores } from './0001_initial/stores.ts';
import { totals } from './0001_initial/totals.ts';

// These tables grow, or change in bulk. Plans depend on statistics, so PostgreSQL refreshes them after 1 % of changes
// instead of 10 %. It removes dead rows after 2 % instead of 20 %, which would be millions that retention reads over.
const hot = [
  'payments',
  'events',
  'outbox',
  'deliveries',
  'pix_received',
  'refunds',
  'charge_problems',
  'total_changes',
  'daily_totals',
];
const factors = 'autovacuum_analyze_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.02';
const upkeep = hot.map((table) => `alter table ${table} set (${factors})`);

/** The schema of 0.1.0. Amounts are centavos. Ids of payments are UUIDv7, so
 * an index on such an id is also one on creation time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createExtension(db);
  const tables = [
    ...stores,
    ...payments,
    ...events,
    ...deliveries,
    ...pix,
    ...totals,
    ...people,
    ...accounts,
    ...administration,
  ];
  for (const statement of [...tables, ...upkeep]) await sql.raw(statement).execute(db);
}

/**
 * The search by part needs pg_trgm. It is a trusted extension: the database's owner may create it, if the server has it.
 * @throws Error that says what is missing
 */
async function createExtension(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql`select from pg_available_extensions where name = 'pg_trgm'`.execute(db);
  if (rows.length === 0)
    throw new Error('this PostgreSQL server lacks the extension pg_trgm: install its contrib modules');
  await sql`create extension if not exists pg_trgm`.execute(db);
}
