import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OwnServer } from '@payments/backing-services/backing-server';
import { freePort } from '@payments/backing-services/free-port';
import { natsProgram } from '@payments/backing-services/nats-program';
import { startNatsServer } from '@payments/backing-services/nats-server';
import { connect, type JetStreamManager } from 'nats';

export type NatsCluster = {
  /** All three, comma-separated. */
  url: string;
  /** By name. */
  servers: ReadonlyMap<string, OwnServer>;
  /** Asks JetStream, by any server that runs. */
  ask<Result>(question: (manager: JetStreamManager) => Promise<Result>): Promise<Result>;
  remove(): Promise<void>;
};

const names = ['one', 'two', 'three'];

/** Starts three NATS servers as one cluster with JetStream. Call `remove` at the end. */
export async function startNatsCluster(): Promise<NatsCluster> {
  const dir = await mkdtemp(join(tmpdir(), 'payments-nats-cluster-'));
  const program = await natsProgram();
  const ports = await Promise.all(names.map(() => freePort()));
  const start = async (name: string, place: number) => {
    const cluster = {
      name,
      port: ports[place] as number,
      others: ports.filter((_, other) => other !== place),
    };
    return [name, await startNatsServer({ dir: join(dir, name), program, cluster })] as const;
  };
  const servers = new Map(await Promise.all(names.map(start)));
  const urls = [...servers.values()].map(({ url }) => url);
  return {
    url: urls.join(','),
    servers,
    ask: async (question) => {
      const connection = await connect({ servers: urls });
      try {
        return await question(await connection.jetstreamManager());
      } finally {
        await connection.close();
      }
    },
    remove: async () => {
      await Promise.all([...servers.values()].map((server) => server.kill()));
      await rm(dir, { recursive: true, force: true });
    },
  };
}
