import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pgBouncerProgram, startPgBouncer } from '@payments/local-servers/pgbouncer';
import { createTestDatabase } from './database.ts';
import { setPooledDefaults } from './pooled-defaults.ts';

export type PooledDatabase = {
  /** By PgBouncer. */
  url: string;
  /** PostgreSQL itself. */
  directUrl: string;
  remove(): Promise<void>;
};

/**
 * Creates a database behind PgBouncer in transaction mode, with the schema.
 * @param settings more of pgbouncer.ini
 * @returns undefined where this machine has no PgBouncer
 */
export async function startPooledDatabase(settings: readonly string[]): Promise<PooledDatabase | undefined> {
  const program = pgBouncerProgram();
  if (program === undefined) return undefined;
  const dir = await mkdtemp(join(tmpdir(), 'payments-pgbouncer-'));
  const database = await createTestDatabase();
  await setPooledDefaults(database.url);
  const pooler = await startPgBouncer({ program, dir, url: database.url, settings });
  return {
    url: pooler.url,
    directUrl: database.url,
    remove: async () => {
      await pooler.kill();
      await database.drop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
