import { join } from 'node:path';
import { natsProgram } from '@payments/local-servers/nats-program';
import { startNatsServer } from '@payments/local-servers/nats-server';
import { startTcpProxy } from '@payments/testing/tcp-proxy';
import type { Backing } from '../system/backing.ts';

type MovableBacking = {
  backing: Backing;
  /** Breaks the connections to PostgreSQL. */
  cut: () => void;
  /** Leads the address to the recovered PostgreSQL. */
  moveTo: (url: string) => void;
};

/**
 * Starts NATS, and an address that leads to a PostgreSQL.
 * @param url of the PostgreSQL
 * @param remove ends PostgreSQL
 */
export async function startMovableBacking(
  dir: string,
  url: string,
  remove: () => Promise<void>,
): Promise<MovableBacking> {
  const nats = await startNatsServer({ dir: join(dir, 'nats'), program: await natsProgram() });
  const address = await startTcpProxy(portOf(url));
  return {
    backing: {
      databaseUrls: [url.replace(new URL(url).host, `127.0.0.1:${address.port}`)],
      natsUrl: nats.url,
      env: {},
      single: undefined,
      cluster: undefined,
      close: async () => {
        await Promise.all([address.close(), remove(), nats.kill()]);
      },
    },
    cut: () => address.cut(),
    moveTo: (recovered) => address.lead(portOf(recovered)),
  };
}

const portOf = (url: string) => Number(new URL(url).port);
