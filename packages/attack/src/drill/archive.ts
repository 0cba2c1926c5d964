import { join } from 'node:path';
import { natsProgram } from '@payments/backing-services/nats-program';
import { startNatsServer } from '@payments/backing-services/nats-server';
import { startArchivedDatabase } from '@payments/testing/archived-database';
import { startTcpProxy } from '@payments/testing/tcp-proxy';
import type { Recoverable } from './recoverable.ts';

/** Starts a PostgreSQL whose WAL is archived, behind an address that leads to the restored one later. */
export async function startArchive(dir: string): Promise<Recoverable> {
  const program = await natsProgram();
  const [database, nats] = await Promise.all([
    startArchivedDatabase(),
    startNatsServer({ dir: join(dir, 'nats'), program }),
  ]);
  const { url, backUp, moment } = database;
  const address = await startTcpProxy(portOf(url));
  return {
    prepare: backUp,
    moment,
    // The services are stopped first; the data is deleted with the restore, which needs the last of the WAL.
    lose: async (services) => {
      await Promise.all(services.map((replica) => replica.kill()));
    },
    recover: async (to) => {
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
