import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pgBouncerProgram, startPgBouncer } from '@payments/backing-services/pgbouncer';
import pg from 'pg';
import { createTestDatabase } from './database.ts';

export type PooledDatabase = {
  /** By PgBouncer. */
  url: string;
  /** PostgreSQL itself. */
  directUrl: string;
  remove(): Promise<void>;
};

/** The role's settings that deploy/clusters.md asks for where PgBouncer ignores those of a session. */
const sessionSettings = {
  timezone: 'UTC',
  jit: 'off',
  statement_timeout: '30s',
  idle_in_transaction_session_timeout: '10s',
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
  await setDefaults(database.url);
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

async function setDefaults(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const name = new URL(url).pathname.slice(1);
  for (const [setting, value] of Object.entries(sessionSettings))
    await client.query(`alter database ${name} set ${setting} = '${value}'`);
  await client.end();
}
