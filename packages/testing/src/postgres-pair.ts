import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresPair, startPostgresPair } from '@payments/backing-services/postgres-pair';
import { connect } from '@payments/database/connection';
import { migrateToLatest } from '@payments/database/migrate';
import { baseBackup, inSession } from './base-backup.ts';

export type TestPair = PostgresPair & {
  /** Makes the primary refuse writes, with its connections open. */
  demotePrimary(): Promise<void>;
  /** Copies the promoted server's data to the former primary, which becomes its standby: the two change places. */
  rebuildStandby(): Promise<void>;
  remove(): Promise<void>;
};

/** Starts a primary and its synchronous standby, with the schema. Call `remove` at the end. */
export async function startTestPair(): Promise<TestPair> {
  const dir = await mkdtemp(join(tmpdir(), 'payments-pair-'));
  const pair = await startPostgresPair(dir);
  const database = connect(pair.primary.url);
  await migrateToLatest(database);
  await database.destroy();
  return Object.assign(pair, {
    demotePrimary: () => demote(pair.primary.url),
    rebuildStandby: () => pair.follow((copy) => baseBackup(pair.primary.url, copy)),
    remove: async () => {
      await pair.kill();
      await rm(dir, { recursive: true, force: true });
    },
  });
}

function demote(url: string): Promise<void> {
  return inSession(url, async (client) => {
    await client.query('alter system set default_transaction_read_only = on');
    await client.query('select pg_reload_conf()');
  });
}
