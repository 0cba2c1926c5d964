import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Database } from './connection.ts';
import { SchemaOutdated } from './errors.ts';

/**
 * Every migration, in order. Until the tag v0.1.0 exists, the first one is edited. Then this list only grows: nobody edits
 * a migration that a release has run.
 *
 * - Take small steps. Kysely runs all pending migrations in one transaction, which keeps each lock until the end. Move
 *   many rows in batches, outside of it.
 * - Begin with `set local lock_timeout = '2s'` if a table is in use. A failed migration can run again; one that waits
 *   for a lock blocks every request behind it.
 * - Create an index of an existing table `concurrently`. PostgreSQL refuses that inside a transaction, so do it in
 *   `migrateToLatest`, after the Migrator. First drop the invalid index of a failed try.
 * - Expand and contract, as the code of two releases runs at once during a rollout. Add the column, nullable or with a
 *   default; write old and new; backfill; read the new one; drop the old one in a later release.
 */
const migrations = { '0001_initial': fromFile('0001_initial.sql') };

/** @param file a file of `migrations/`, which is as near to `src/` as to a built program in `dist/` */
function fromFile(file: string): Migration {
  const read = () => readFileSync(new URL(`../migrations/${file}`, import.meta.url), 'utf8');
  return { up: async (db) => void (await sql.raw(read()).execute(db)) };
}

/** Indexing a large table may take long. */
export const noTimeout = { statementTimeoutMs: 0 };

/**
 * Brings the schema up to date. Several processes may run it at once: Kysely's Migrator takes a lock. It leaves a
 * schema that is newer than this code unchanged.
 * @returns the names of the migrations that this call applied
 * @throws the error of the migration that failed, which is rolled back
 */
export async function migrateToLatest(db: Database): Promise<string[]> {
  // Kysely calls unknown migrations corruption. Here they belong to a release that was rolled back.
  if ((await pendingMigrations(db)).length === 0) return [];
  const { error, results } = await migratorOf(db).migrateToLatest();
  if (error) throw error;
  return (results ?? []).map((result) => result.migrationName);
}

/**
 * Accepts a schema that is newer than this code: during a rollout, two releases run on it.
 * @throws SchemaOutdated if a migration that this code needs has not run
 */
export async function assertSchemaCurrent(db: Database): Promise<void> {
  const pending = await pendingMigrations(db);
  if (pending.length === 0) return;
  throw new SchemaOutdated(`the database schema lacks ${pending.join(', ')}: run the migrations`);
}

async function pendingMigrations(db: Database): Promise<string[]> {
  const migrations = await migratorOf(db).getMigrations().catch(refusedToServices);
  return migrations.filter(({ executedAt }) => !executedAt).map(({ name }) => name);
}

/** The services' role gets its rights after the migrations. */
function refusedToServices(error: unknown): never {
  if ((error as { code?: string }).code !== '42501') throw error;
  throw new SchemaOutdated('the role may not read the schema: run the migrations, with SERVICES_ROLE');
}

function migratorOf(db: Database): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => migrations } });
}
