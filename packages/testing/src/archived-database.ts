import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from '@payments/database/connection';
import { migrateToLatest } from '@payments/database/migrate';
import type { OwnServer } from '@payments/local-servers/backing-server';
import { startArchivedPostgres } from '@payments/local-servers/postgres-archive';
import type pg from 'pg';
import { baseBackup } from './base-backup.ts';
import { inSession } from './sessions.ts';

export type ArchivedDatabase = {
  url: string;
  /** Makes the base backup. */
  backUp(): Promise<void>;
  /** @returns a moment behind everything that is committed */
  moment(): Promise<Date>;
  /** Archives the last of the WAL, kills the server and deletes its data. */
  destroy(): Promise<void>;
  /**
   * Restores the database as it was at a moment.
   * @returns its URL
   */
  restore(moment: Date): Promise<string>;
  remove(): Promise<void>;
};

/** Starts a PostgreSQL with the schema, whose WAL is archived. Call `remove` at the end. */
export async function startArchivedDatabase(): Promise<ArchivedDatabase> {
  const dir = await mkdtemp(join(tmpdir(), 'payments-archive-'));
  const postgres = await startArchivedPostgres(dir);
  const { url } = postgres.server;
  let running: OwnServer | undefined = postgres.server;
  const database = connect(url);
  await migrateToLatest(database);
  await database.destroy();
  return {
    url,
    backUp: async () => postgres.finishBackup(await baseBackup(url, postgres.copyData)),
    moment: () =>
      inSession(url, async (client) => (await client.query('select clock_timestamp() as now')).rows[0].now),
    destroy: async () => {
      await inSession(url, untilArchived);
      running = undefined;
      await postgres.destroy();
    },
    restore: async (moment) => {
      running = await postgres.restore(moment);
      return running.url;
    },
    remove: async () => {
      await running?.kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const page = fileURLToPath(new URL('../../../deploy/restore.md', import.meta.url));

/** Runs the SQL of the steps of deploy/restore.md. @throws before the database takes writes */
export async function runRestoreSteps(url: string): Promise<void> {
  const blocks = (await readFile(page, 'utf8')).matchAll(/^ *```sql\n(.*?)^ *```$/gms);
  const sql = [...blocks].map(([, block = '']) => block).join('');
  await inSession(url, (client) => client.query(sql));
}

async function untilArchived(client: pg.Client) {
  const { rows } = await client.query('select pg_walfile_name(pg_switch_wal()) as file');
  for (let archived = ''; archived < rows[0].file; ) {
    const found = await client.query('select last_archived_wal as file from pg_stat_archiver');
    archived = found.rows[0].file ?? '';
  }
}
