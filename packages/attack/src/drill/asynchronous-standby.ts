import { join } from 'node:path';
import { natsProgram } from '@payments/backing-services/nats-program';
import { startNatsServer } from '@payments/backing-services/nats-server';
import { startTestPair } from '@payments/testing/postgres-pair';
import { startTcpProxy } from '@payments/testing/tcp-proxy';
import type { Recoverable } from './recoverable.ts';

/** Starts a primary and its asynchronous standby, which falls behind and is promoted, behind an address that moves. */
export async function startAsynchronousStandby(dir: string): Promise<Recoverable> {
  const program = await natsProgram();
  const [pair, nats] = await Promise.all([
    startTestPair(),
    startNatsServer({ dir: join(dir, 'nats'), program }),
  ]);
  const { url } = pair.primary;
  const address = await startTcpProxy(portOf(url));
  return {
    prepare: pair.becomeAsynchronous,
    moment: pair.stopReplication,
    lose: () => pair.primary.kill(),
    recover: async () => {
      await pair.promote();
      address.lead(portOf(pair.standby.url));
      return pair.standby.url;
    },
    backing: {
      databaseUrls: [url.replace(new URL(url).host, `127.0.0.1:${address.port}`)],
      natsUrl: nats.url,
      env: {},
      single: undefined,
      cluster: undefined,
      close: async () => {
        await Promise.all([address.close(), pair.remove(), nats.kill()]);
      },
    },
  };
}

const portOf = (url: string) => Number(new URL(url).port);
