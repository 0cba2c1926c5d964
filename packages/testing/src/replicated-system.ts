import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '@payments/local-servers/free-port';
import { type Balancer, startBalancer } from './balancer.ts';
import { startBank } from './bank.ts';
import { createTestDatabase } from './database.ts';
import { testNats } from './nats.ts';
import type { Ended } from './processes.ts';
import { createReplica, type Replica } from './replica.ts';
import { serviceSettings } from './service-settings.ts';
import { query } from './sessions.ts';
import { type SystemClient, systemClient } from './system-client.ts';

export type ServiceName = 'api' | 'dispatcher';

/** Replicas of both services as real processes, each service behind a TCP balancer, and a bank. */
export type ReplicatedSystem = Omit<SystemClient, 'api'> & {
  /** The URL of the API's balancer. */
  url: string;
  balancers: Record<ServiceName, Balancer>;
  databaseUrl: string;
  replicas: Record<ServiceName, readonly Replica[]>;
  /**
   * Restarts a service's replicas one by one, as an orchestrator rolls out a release.
   * @param checkout the folder of the code that runs from then on; this one by default
   * @returns how each ended, and how long that took
   */
  restart(service: ServiceName, checkout?: string): Promise<(Ended & { ms: number })[]>;
  stop(): Promise<void>;
};

export type ReplicatedOptions = {
  /** The number of each service's replicas. */
  replicas?: number;
  env?: Record<string, string>;
  /** Another commit of this repository, in its folder: its schema, and its processes until they are restarted. */
  checkout?: string;
  /** How often the balancers ask each replica for its readiness; every 50 ms by default. */
  askEveryMs?: number;
};

export async function startReplicatedSystem({
  replicas = 2,
  env = {},
  checkout,
  askEveryMs = 50,
}: ReplicatedOptions = {}): Promise<ReplicatedSystem> {
  const [database, nats, bank] = await Promise.all([createTestDatabase(), testNats(), startBank()]);
  if (checkout !== undefined) await migrateAnew(database.url, checkout);
  const portsOf = () =>
    Promise.all(Array.from({ length: replicas }, async () => [await freePort(), await freePort()] as const));
  const [apiPorts, dispatcherPorts] = [await portsOf(), await portsOf()];
  const balancers = {
    api: await startBalancer(
      apiPorts.map(([port]) => ({ port, healthPort: port })),
      { askEveryMs },
    ),
    dispatcher: await startBalancer(
      dispatcherPorts.map(([port]) => ({ port, healthPort: port })),
      { askEveryMs },
    ),
  };
  const administration = await startBalancer(
    apiPorts.map(([healthPort, port]) => ({ port, healthPort })),
    { askEveryMs },
  );
  const publicUrl = balancers.api.url;
  const shared: Record<string, string> = {
    ...serviceSettings({ databaseUrl: database.url, natsUrl: nats.url, bankUrl: bank.url, publicUrl }),
    NATS_STREAM: nats.stream,
    LOG_LEVEL: 'warn',
    SCAN_INTERVAL_SECONDS: '1',
    // Long enough for a balancer to notice it on a busy machine.
    SHUTDOWN_DELAY_MS: '5000',
    ...env,
  };
  const ports = { api: apiPorts, dispatcher: dispatcherPorts };
  const replicaOf = (service: ServiceName, index: number, folder?: string) => {
    const [port, adminPort] = ports[service][index]!;
    return createReplica({
      name: service,
      module: mainOf(service, folder),
      // Another commit's responses are another document's.
      watched: folder === undefined,
      port,
      env: { ...shared, ...(service === 'api' && { ADMIN_PORT: String(adminPort) }) },
    });
  };
  const all = (service: ServiceName) =>
    Promise.all(ports[service].map((_, index) => replicaOf(service, index, checkout)));
  const running: Record<ServiceName, Replica[]> = {
    api: await all('api'),
    dispatcher: await all('dispatcher'),
  };
  await Promise.all([...running.api, ...running.dispatcher].map((replica) => replica.start()));
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
    databaseUrl: database.url,
    balancers,
    replicas: running,
    restart: async (service, folder) => {
      const ends: (Ended & { ms: number })[] = [];
      for (const [index, before] of running[service].entries()) {
        const since = performance.now();
        const ended = await before.terminate();
        ends.push({ ...ended, ms: Math.round(performance.now() - since) });
        const replica = await replicaOf(service, index, folder);
        running[service][index] = replica;
        await replica.start();
        // Like an orchestrator, waits until a replica has its share before it ends the next one.
        await balancers[service].takes(replica.port);
      }
      return ends;
    },
    stop: async () => {
      await Promise.all([...running.api, ...running.dispatcher].map((replica) => replica.terminate()));
      await Promise.all([balancers.api, balancers.dispatcher, administration].map((one) => one.close()));
      await Promise.all([bank.close(), database.drop(), nats.stop()]);
    },
  };
}

function mainOf(service: ServiceName, checkout?: string): string {
  return checkout === undefined
    ? fileURLToPath(import.meta.resolve(`@payments/${service}/main`))
    : join(checkout, 'services', service, 'src/main.ts');
}

/** Replaces the schema by that of another commit. */
async function migrateAnew(databaseUrl: string, checkout: string): Promise<void> {
  await query(databaseUrl, 'drop schema public cascade; create schema public');
  await migrateBy(checkout, databaseUrl);
}

/** Runs a commit's `npm run migrate`. */
export async function migrateBy(checkout: string, databaseUrl: string): Promise<void> {
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  const args = ['scripts/bootstrap.mjs', 'scripts/src/migrate.ts'];
  await promisify(execFile)(process.execPath, args, { cwd: checkout, env });
}
