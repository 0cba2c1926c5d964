import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OwnServer } from '@payments/local-servers/backing-server';
import { freePort } from '@payments/local-servers/free-port';
import { natsProgram } from '@payments/local-servers/nats-program';
import { startNatsServer } from '@payments/local-servers/nats-server';
import { connect, type JetStreamManager } from 'nats';
import { startTcpProxy } from './tcp-proxy.ts';

export type NatsCluster = {
  /** All three, comma-separated. */
  url: string;
  /** By name. */
  servers: ReadonlyMap<string, OwnServer>;
  /** While true, the others hear nothing of a server, and it nothing of them. Clients reach it as before. */
  isolate(name: string, isolated: boolean): void;
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
  const links = await linksBetween(ports);
  const start = async (name: string, place: number) => {
    const others = links.filter(({ from }) => from === place).map(({ proxy }) => proxy.port);
    const cluster = { name, port: ports[place] as number, others };
    return [name, await startNatsServer({ dir: join(dir, name), program, cluster })] as const;
  };
  const servers = new Map(await Promise.all(names.map(start)));
  const urls = [...servers.values()].map(({ url }) => url);
  return {
    url: urls.join(','),
    servers,
    isolate: (name, isolated) => {
      const place = names.indexOf(name);
      for (const { from, to, proxy } of links) if (from === place || to === place) proxy.silence(isolated);
    },
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
      await Promise.all(links.map(({ proxy }) => proxy.close()));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** A link from each server to each other one, by their places. */
function linksBetween(ports: readonly number[]) {
  const pairs = ports.flatMap((_, from) =>
    ports.flatMap((port, to) => (from === to ? [] : [{ from, to, port }])),
  );
  return Promise.all(
    pairs.map(async ({ from, to, port }) => ({ from, to, proxy: await startTcpProxy(port) })),
  );
}
