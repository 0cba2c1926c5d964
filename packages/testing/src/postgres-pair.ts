import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@payments/database/connection';
import { migrateToLatest } from '@payments/database/migrate';
import { type PostgresPair, startPostgresPair } from '@payments/local-servers/postgres-pair';
import type pg from 'pg';
import { baseBackup } from './base-backup.ts';
import { inSession } from './sessions.ts';

export type TestPair = PostgresPair & {
  /** Makes the primary refuse writes, with its connections open. */
  demotePrimary(): Promise<void>;
  /** Copies the promoted server's data to the former primary, which becomes its standby: the two change places. */
  rebuildStandby(): Promise<void>;
  /** From now on, a commit is confirmed before the standby has it. */
  becomeAsynchronous(): Promise<void>;
  /**
   * Ends the replication: the standby gets no later commit.
   * @returns the time of the last commit that it has
   */
  stopReplication(): Promise<Date>;
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
    becomeAsynchronous: () => set(pair.primary.url, "synchronous_standby_names = ''"),
    stopReplication: async () => {
      await set(pair.standby.url, "primary_conninfo = ''");
      return inSession(pair.standby.url, untilReplayed);
    },
    remove: async () => {
      await pair.kill();
      await rm(dir, { recursive: true, force: true });
    },
  });
}

const demote = (url: string) => set(url, 'default_transaction_read_only = on');

function set(url: string, setting: string): Promise<void> {
  return inSession(url, async (client) => {
    await client.query(`alter system set ${setting}`);
    await client.query('select pg_reload_conf()');
  });
}

/** @returns the time of the last commit, once nothing more is received and all is replayed */
async function untilReplayed(client: pg.Client): Promise<Date> {
  for (;;) {
    const { rows } = await client.query(
      `select pg_last_xact_replay_timestamp() as at from (select count(*) as receivers from pg_stat_wal_receiver) w
        where receivers = 0 and pg_last_wal_receive_lsn() <= pg_last_wal_replay_lsn()`,
    );
    if (rows.length > 0) return rows[0].at;
  }
}
