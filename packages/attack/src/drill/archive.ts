import { join } from 'node:path';
import { natsProgram } from '@payments/backing-services/nats-program';
import { startNatsServer } from '@payments/backing-services/nats-server';
import { type ArchivedDatabase, startArchivedDatabase } from '@payments/testing/archived-database';
import { startTcpProxy } from '@payments/testing/tcp-proxy';
import type { Backing } from '../system/backing.ts';

/** A PostgreSQL whose WAL is archived, behind an address that leads to the restored one later; and NATS apart from it. */
export type Archive = {
  backing: Backing;
  /** PostgreSQL's own URL. */
  url: string;
  backUp: ArchivedDatabase['backUp'];
  moment: ArchivedDatabase['moment'];
  /**
   * Deletes the server's data, restores it as it was at a moment, and moves the address.
   * @returns the URL of the restored server
   */
  restore(moment: Date): Promise<string>;
};

export async function startArchive(dir: string): Promise<Archive> {
  const program = await natsProgram();
  const [database, nats] = await Promise.all([
    startArchivedDatabase(),
    startNatsServer({ dir: join(dir, 'nats'), program }),
  ]);
  const { url, backUp, moment } = database;
  const address = await startTcpProxy(portOf(url));
  return {
    url,
    backUp,
    moment,
    restore: async (to) => {
      address.cut();
      await database.destroy();
      const restored = await database.restore(to);
      address.lead(portOf(restored));
      return restored;
    },
    backing: {
      databaseUrls: [url.replace(new URL(url).host, `127.0.0.1:${address.port}`)],
      natsUrl: nats.url,
      env: {},
      single: undefined,
      cluster: undefined,
      close: async () => {
        await Promise.all([address.close(), database.remove(), nats.kill()]);
      },
    },
  };
}

const portOf = (url: string) => Number(new URL(url).port);
