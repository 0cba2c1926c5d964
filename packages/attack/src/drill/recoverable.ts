import { startArchivedDatabase } from '@payments/testing/archived-database';
import { startTestPair } from '@payments/testing/postgres-pair';
import type { Backing } from '../system/backing.ts';
import type { LinkedReplica } from '../system/links.ts';
import { startMovableBacking } from './movable-backing.ts';

/** A database that is lost in a drill, and comes back without its last commits. */
export type Recoverable = {
  backing: Backing;
  /** Begins what the database comes back from. */
  prepare(): Promise<void>;
  /** @returns a moment behind everything that will come back */
  moment(): Promise<Date>;
  /** Loses the database. At a failover the services go on, at a restore they are stopped. */
  lose(services: readonly LinkedReplica[]): Promise<void>;
  /**
   * Brings the database back as it was at the moment, and moves the address.
   * @returns its URL
   */
  recover(moment: Date): Promise<string>;
};

/** Starts a PostgreSQL whose WAL is archived, behind an address that leads to the restored one later. */
export async function startArchive(dir: string): Promise<Recoverable> {
  const database = await startArchivedDatabase();
  const { url, backUp, moment, remove } = database;
  const { backing, cut, moveTo } = await startMovableBacking(dir, url, remove);
  return {
    prepare: backUp,
    moment,
    // The services are stopped first; the data is deleted with the restore, which needs the last of the WAL.
    lose: async (services) => {
      await Promise.all(services.map((replica) => replica.kill()));
    },
    recover: async (to) => {
      cut();
      await database.destroy();
      const restored = await database.restore(to);
      moveTo(restored);
      return restored;
    },
    backing,
  };
}

/** Starts a primary and its asynchronous standby, which falls behind and is promoted, behind an address that moves. */
export async function startAsynchronousStandby(dir: string): Promise<Recoverable> {
  const pair = await startTestPair();
  const { backing, moveTo } = await startMovableBacking(dir, pair.primary.url, pair.remove);
  return {
    prepare: pair.becomeAsynchronous,
    moment: pair.stopReplication,
    lose: () => pair.primary.kill(),
    recover: async () => {
      await pair.promote();
      moveTo(pair.standby.url);
      return pair.standby.url;
    },
    backing,
  };
}
