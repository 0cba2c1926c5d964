import { startArchivedDatabase } from '@payments/testing/archived-database';
import { startMovableBacking } from './movable-backing.ts';
import type { Recoverable } from './recoverable.ts';

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
