import { Migrator } from 'kysely/migration';
import type { Database } from './connection.ts';
import { SchemaOutdated } from './errors.ts';
import * as payments from './migrations/0001_payments.ts';
import * as administration from './migrations/0002_administration.ts';

const migrations = { '0001_payments': payments, '0002_administration': administration };

/**
 * Brings the schema up to date. Safe to run by several processes at once: Kysely's Migrator takes a lock.
 * @returns the names of the migrations that this call applied
 * @throws the error of the migration that failed; that migration is rolled back
 */
export async function migrateToLatest(db: Database): Promise<string[]> {
  const { error, results } = await migratorOf(db).migrateToLatest();
  if (error) throw error;
  return (results ?? []).map((result) => result.migrationName);
}

/** @throws SchemaOutdated when a migration that this code needs has not run */
export async function assertSchemaCurrent(db: Database): Promise<void> {
  const pending = (await migratorOf(db).getMigrations()).filter((migration) => !migration.executedAt);
  if (pending.length === 0) return;
  throw new SchemaOutdated(
    `the database schema lacks ${pending.map((m) => m.name).join(', ')}: run the migrations`,
  );
}

function migratorOf(db: Database): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => migrations } });
}
