import { Migrator } from 'kysely/migration';
import type { Database } from './connection.ts';
import { SchemaOutdated } from './errors.ts';
import * as initial from './migrations/0001_initial.ts';

/**
 * Every migration, in order. From 0.1.0 on this list only grows: nobody edits a migration that a release has run.
 *
 * - Take small steps. Kysely runs all pending migrations in one transaction, which keeps each lock until the end. Move
 *   many rows in batches, outside of it.
 * - Begin with `set local lock_timeout = '2s'` where a table is in use: a migration that fails can run again, while one
 *   that waits for a lock holds up every request behind it.
 * - Create an index of an existing table `concurrently`. PostgreSQL refuses that inside a transaction, so do it in
 *   `migrateToLatest`, after the Migrator, and drop first what a failed try left invalid.
 * - Expand and contract, as the code of two releases runs at once while one rolls out: add the column, nullable or with
 *   a default; write old and new; backfill; read the new one; drop the old one in a later release.
 */
const migrations = { '0001_initial': initial };

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
