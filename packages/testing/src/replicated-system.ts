import { fileURLToPath } from 'node:url';
import { freePort } from '@payments/backing-services/free-port';
import { type Balancer, startBalancer } from './balancer.ts';
import { startBank } from './bank.ts';
import { createTestDatabase } from './database.ts';
import { testNats } from './nats.ts';
import type { Ended } from './processes.ts';
import { createReplica, type Replica } from './replica.ts';
import { serviceSettings } from './service-settings.ts';
import { type SystemClient, systemClient } from './system-client.ts';

export type ServiceName = 'api' | 'dispatcher';

/** Replicas of both services as real processes, each service behind a TCP balancer, and a bank. */
export type ReplicatedSystem = Omit<SystemClient, 'api'> & {
  /** The URL of the API's balancer. */
  url: string;
  balancers: Record<ServiceName, Balancer>;
  /**
   * Restarts a service's replicas one by one, as an orchestrator rolls out a release.
   * @returns how each ended, and how long that took
   */
  restart(service: ServiceName): Promise<(Ended & { ms: number })[]>;
  stop(): Promise<void>;
};

export type ReplicatedOptions = { replicas?: number; env?: Record<string, string> };

/** @param replicas number of each service's replicas */
export async function startReplicatedSystem({
  replicas = 2,
  env = {},
}: ReplicatedOptions = {}): Promise<ReplicatedSystem> {
  const [database, nats, bank] = await Promise.all([createTestDatabase(), testNats(), startBank()]);
  const portsOf = () =>
    Promise.all(Array.from({ length: replicas }, async () => [await freePort(), await freePort()] as const));
  const [apiPorts, dispatcherPorts] = [await portsOf(), await portsOf()];
  const balancers = {
    api: await startBalancer(apiPorts.map(([port]) => ({ port, healthPort: port }))),
    dispatcher: await startBalancer(dispatcherPorts.map(([port]) => ({ port, healthPort: port }))),
  };
  const administration = await startBalancer(apiPorts.map(([healthPort, port]) => ({ port, healthPort })));
  const publicUrl = balancers.api.url;
  const shared: Record<string, string> = {
    ...serviceSettings({ databaseUrl: database.url, natsUrl: nats.url, bankUrl: bank.url, publicUrl }),
    NATS_STREAM: nats.stream,
    LOG_LEVEL: 'warn',
    SCAN_INTERVAL_SECONDS: '1',
    // Long enough for a balancer to notice it on a busy machine.
    SHUTDOWN_DELAY_MS: '1500',
    ...env,
  };
  const replicaOf = (service: ServiceName, [port, adminPort]: readonly [number, number]) =>
    createReplica({
      name: service,
      module: fileURLToPath(import.meta.resolve(`@payments/${service}/main`)),
      port,
      env: { ...shared, ...(service === 'api' && { ADMIN_PORT: String(adminPort) }) },
    });
  const running: Record<ServiceName, Replica[]> = {
    api: await Promise.all(apiPorts.map((ports) => replicaOf('api', ports))),
    dispatcher: await Promise.all(dispatcherPorts.map((ports) => replicaOf('dispatcher', ports))),
  };
  const all = [...running.api, ...running.dispatcher];
  await Promise.all(all.map((replica) => replica.start()));
  // A balancer refuses connections before its first check.
  await Promise.all(
    apiPorts.flatMap(([port, adminPort]) => [balancers.api.takes(port), administration.takes(adminPort)]),
  );

  const { api: _call, ...client } = systemClient({
    url: publicUrl,
    adminUrl: administration.url,
    bankUrl: bank.url,
  });
  return {
    ...client,
    url: publicUrl,
    balancers,
    restart: async (service) => {
      const ends: (Ended & { ms: number })[] = [];
      for (const replica of running[service]) {
        const since = performance.now();
        const ended = await replica.terminate();
        ends.push({ ...ended, ms: Math.round(performance.now() - since) });
        await replica.start();
        // Like an orchestrator, waits until a replica has its share before it ends the next one.
        await balancers[service].takes(replica.port);
      }
      return ends;
    },
    stop: async () => {
      await Promise.all(all.map((replica) => replica.terminate()));
      await Promise.all([balancers.api, balancers.dispatcher, administration].map((one) => one.close()));
      await Promise.all([bank.close(), database.drop(), nats.stop()]);
    },
  };
}
