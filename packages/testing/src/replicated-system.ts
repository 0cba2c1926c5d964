import { fileURLToPath } from 'node:url';
import { freePort } from '@payments/backing-services/free-port';
import { buildSimulator } from '@payments/pix-simulator/app';
import { type Balancer, startBalancer } from './balancer.ts';
import { createTestDatabase } from './database.ts';
import { call, type HttpAnswer, type HttpCall } from './http.ts';
import { testNats } from './nats.ts';
import { type Ended, startProcess, type TestProcess } from './processes.ts';
import type { TestStore } from './system.ts';

export type ServiceName = 'api' | 'dispatcher';

/** Replicas of both services as real processes, each service behind a plain TCP balancer, and a bank. */
export type ReplicatedSystem = {
  /** The API behind its balancer. */
  url: string;
  admin(path: string, request?: HttpCall): Promise<HttpAnswer>;
  bank(path: string, body?: unknown): Promise<HttpAnswer>;
  createStore(): Promise<TestStore>;
  balancers: Record<ServiceName, Balancer>;
  /** Ends and starts each replica, one after another, as an orchestrator rolls out a release. @returns how each ended, and how long that took */
  restart(service: ServiceName): Promise<(Ended & { ms: number })[]>;
  stop(): Promise<void>;
};

type Replica = { service: ServiceName; env: Record<string, string>; process: TestProcess };

const adminKey = 'test-admin-key';
const moduleOf = (service: ServiceName) => fileURLToPath(import.meta.resolve(`@payments/${service}/main`));

/** @param replicas of each service */
export async function startReplicatedSystem({
  replicas = 2,
  env = {},
}: {
  replicas?: number;
  env?: Record<string, string>;
} = {}): Promise<ReplicatedSystem> {
  const [database, nats] = await Promise.all([createTestDatabase(), testNats()]);
  const simulator = buildSimulator({ clientId: 'client', clientSecret: 'secret', key: 'pix@example.com' });
  const bankUrl = await simulator.listen({ port: 0, host: '127.0.0.1' });
  const portsOf = () =>
    Promise.all(Array.from({ length: replicas }, async () => [await freePort(), await freePort()] as const));
  const [apiPorts, dispatcherPorts] = [await portsOf(), await portsOf()];
  const balancers = {
    api: await startBalancer(apiPorts.map(([port]) => ({ port, healthPort: port }))),
    dispatcher: await startBalancer(dispatcherPorts.map(([port]) => ({ port, healthPort: port }))),
  };
  const administration = await startBalancer(apiPorts.map(([healthPort, port]) => ({ port, healthPort })));
  const shared: Record<string, string> = {
    HOST: '127.0.0.1',
    PUBLIC_URL: balancers.api.url,
    ADMIN_KEY: adminKey,
    DATABASE_URL: database.url,
    NATS_URL: nats.url,
    NATS_STREAM: nats.stream,
    LOG_LEVEL: 'warn',
    PIX_URL: bankUrl,
    PIX_CLIENT_ID: 'client',
    PIX_CLIENT_SECRET: 'secret',
    PIX_KEY: 'pix@example.com',
    SCAN_INTERVAL_SECONDS: '1',
    RATE_LIMIT_PER_MINUTE: '0',
    // Long for a busy machine: a balancer has to notice within it.
    SHUTDOWN_DELAY_MS: '1500',
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8,::1/128',
    ...env,
  };
  const replicaOf = (service: ServiceName, [port, adminPort]: readonly [number, number]): Replica => {
    const admin = service === 'api' ? { ADMIN_PORT: String(adminPort) } : {};
    const own = { ...shared, ...admin, PORT: String(port) };
    return { service, env: own, process: startProcess(moduleOf(service), own) };
  };
  const running = [
    ...apiPorts.map((ports) => replicaOf('api', ports)),
    ...dispatcherPorts.map((ports) => replicaOf('dispatcher', ports)),
  ];
  await Promise.all(running.map((replica) => replica.process.ready));
  // A balancer refuses what comes before it has looked itself.
  await Promise.all(
    apiPorts.flatMap(([port, adminPort]) => [balancers.api.takes(port), administration.takes(adminPort)]),
  );

  const admin = (path: string, request: HttpCall = {}) =>
    call(administration.url + path, { token: adminKey, ...request });
  return {
    url: balancers.api.url,
    balancers,
    admin,
    bank: (path, body) => call(bankUrl + path, body === undefined ? {} : { body }),
    createStore: async () => {
      const { body: store } = await admin('/admin/stores', { body: { name: 'Loja' } });
      const { body: token } = await admin(`/admin/stores/${store.id}/tokens`, { body: {} });
      return { id: store.id, token: token.token };
    },
    restart: async (service) => {
      const ends: (Ended & { ms: number })[] = [];
      for (const replica of running.filter((one) => one.service === service)) {
        const since = performance.now();
        const ended = await replica.process.kill('SIGTERM');
        ends.push({ ...ended, ms: Math.round(performance.now() - since) });
        replica.process = startProcess(moduleOf(service), replica.env);
        await replica.process.ready;
        // As an orchestrator does: the next one goes when this one has its share.
        await balancers[service].takes(Number(replica.env.PORT));
      }
      return ends;
    },
    stop: async () => {
      await Promise.all(running.map((replica) => replica.process.kill('SIGTERM')));
      await Promise.all([balancers.api, balancers.dispatcher, administration].map((one) => one.close()));
      await simulator.close();
      await Promise.all([database.drop(), nats.stop()]);
    },
  };
}
