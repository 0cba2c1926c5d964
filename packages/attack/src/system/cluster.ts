import { type NatsCluster, startNatsCluster } from '@payments/testing/nats-cluster';
import { startTestPair, type TestPair } from '@payments/testing/postgres-pair';
import { startTcpProxy, type TcpProxy } from '@payments/testing/tcp-proxy';
import type { Backing } from './backing.ts';

/** A primary with its synchronous standby, and three NATS servers. */
export type Cluster = {
  pair: TestPair;
  /** The address that moves with the primary, as a Kubernetes Service's does. */
  address: TcpProxy;
  nats: NatsCluster;
};

/** Starts both, with the current schema. */
export async function startCluster(): Promise<Backing> {
  const [pair, nats] = await Promise.all([startTestPair(), startNatsCluster()]);
  const { primary, standby } = pair;
  const address = await startTcpProxy(portOf(primary.url));
  const at = (hosts: string) => primary.url.replace(new URL(primary.url).host, hosts);
  return {
    databaseUrls: [
      at(`127.0.0.1:${address.port}`),
      at(`${new URL(primary.url).host},${new URL(standby.url).host}`),
    ],
    natsUrl: nats.url,
    env: { NATS_REPLICAS: '3' },
    single: undefined,
    cluster: { pair, address, nats },
    close: async () => {
      await Promise.all([address.close(), pair.remove(), nats.remove()]);
    },
  };
}

/** Promotes the standby and moves the address to it, as an operator does. */
export async function failOver({ pair, address }: Cluster): Promise<void> {
  await pair.promote();
  address.lead(portOf(pair.standby.url));
}

const portOf = (url: string) => Number(new URL(url).port);
