import { Migrator } from 'kysely/migration';
import type { Database } from './connection.ts';
import { SchemaOutdated } from './errors.ts';
import * as payments from './migrations/0001_payments.ts';
import * as administration from './migrations/0002_administration.ts';
import * as changes from './migrations/0003_changes.ts';
import * as tokenUses from './migrations/0004_token_uses.ts';
import * as finishedDeliveries from './migrations/0005_finished_deliveries.ts';
import * as traceParent from './migrations/0006_trace_parent.ts';
import * as endedSessions from './migrations/0007_ended_sessions.ts';
import * as dueDeliveries from './migrations/0008_due_deliveries.ts';
import * as outbox from './migrations/0009_outbox.ts';
import * as reviewsInOrder from './migrations/0010_reviews_in_order.ts';
import * as deliveriesByEndpoint from './migrations/0011_deliveries_by_endpoint.ts';
import * as lateMoves from './migrations/0012_late_moves.ts';
import * as roomForClaims from './migrations/0013_room_for_claims.ts';
import * as leases from './migrations/0014_leases.ts';
import * as lastAttempts from './migrations/0015_last_attempts.ts';
import * as deliveriesOfEvents from './migrations/0016_deliveries_of_events.ts';

const migrations = {
  '0001_payments': payments,
  '0002_administration': administration,
  '0003_changes': changes,
  '0004_token_uses': tokenUses,
  '0005_finished_deliveries': finishedDeliveries,
  '0006_trace_parent': traceParent,
  '0007_ended_sessions': endedSessions,
  '0008_due_deliveries': dueDeliveries,
  '0009_outbox': outbox,
  '0010_reviews_in_order': reviewsInOrder,
  '0011_deliveries_by_endpoint': deliveriesByEndpoint,
  '0012_late_moves': lateMoves,
  '0013_room_for_claims': roomForClaims,
  '0014_leases': leases,
  '0015_last_attempts': lastAttempts,
  '0016_deliveries_of_events': deliveriesOfEvents,
};

/** How a migration connects: an index of a large table takes as long as it takes. */
export const unhurried = { statementTimeoutMs: 0, queryTimeoutMs: 0 };

/**
 * Brings the schema up to date. Safe to run by several processes at once: Kysely's Migrator takes a lock. A schema
 * that is newer than this code is left as it is.
 * @returns the names of the migrations that this call applied
 * @throws the error of the migration that failed; that migration is rolled back
 */
export async function migrateToLatest(db: Database): Promise<string[]> {
  // Kysely takes what it does not know for corruption; here it is a release that was rolled back.
  if ((await pendingMigrations(db)).length === 0) return [];
  const { error, results } = await migratorOf(db).migrateToLatest();
  if (error) throw error;
  return (results ?? []).map((result) => result.migrationName);
}

/**
 * Takes a schema that is newer than this code: while a release rolls out, both run on it.
 * @throws SchemaOutdated when a migration that this code needs has not run
 */
export async function assertSchemaCurrent(db: Database): Promise<void> {
  const pending = await pendingMigrations(db);
  if (pending.length === 0) return;
  throw new SchemaOutdated(`the database schema lacks ${pending.join(', ')}: run the migrations`);
}

async function pendingMigrations(db: Database): Promise<string[]> {
  const migrations = await migratorOf(db).getMigrations();
  return migrations.filter(({ executedAt }) => !executedAt).map(({ name }) => name);
}

function migratorOf(db: Database): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => migrations } });
}
