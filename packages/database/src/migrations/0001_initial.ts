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

// The search by part needs it. The database's owner may create it, and PostgreSQL says so if the server has it not.
const extension = 'create extension if not exists pg_trgm';

/** The schema of 0.1.0. Amounts are centavos. Ids of payments are UUIDv7: an index on them is one on creation time. */
export async function up(db: Kysely<unknown>): Promise<void> {
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
  for (const statement of [extension, ...tables, ...upkeep]) await sql.raw(statement).execute(db);
}
