import { fileURLToPath } from 'node:url';
import { freePort } from '@payments/local-servers/free-port';
import { startBank } from './bank.ts';
import { createTestDatabase } from './database.ts';
import { testNats } from './nats.ts';
import { startProcess, type TestProcess } from './processes.ts';
import { serviceSettings, adminKey as testAdminKey } from './service-settings.ts';
import { type SeveralBanks, startBanks, type WantedBank } from './several-banks.ts';
import { type SystemClient, systemClient } from './system-client.ts';

export type ProcessSystemOptions = {
  env?: Record<string, string>;
  dispatchers?: number;
  /** Several banks in the place of the one, in order of preference. */
  banks?: readonly WantedBank[];
  /** The key of the admin port. */
  adminKey?: string;
  /** The test's own servers, to be stopped and killed; by default those of the test run. */
  databaseUrl?: string;
  natsUrl?: string;
};

export type RunningProcess = TestProcess & { port: number };

export type RunningApi = RunningProcess & { call: SystemClient['api'] };

/** The service as real processes: one API, any number of dispatchers, and banks in this process. */
export type ProcessSystem = Omit<SystemClient, 'api'> & {
  url: string;
  adminUrl: string;
  bankUrl: string;
  databaseUrl: string;
  /** The settings of every process. */
  env: Record<string, string>;
  /** The simulators of `banks`. */
  banks: SeveralBanks;
  api: RunningProcess;
  dispatchers: RunningProcess[];
  /**
   * Starts another dispatcher; resolves when it is ready.
   * @param env its own settings
   */
  startDispatcher(env?: Record<string, string>): Promise<RunningProcess>;
  /**
   * Starts another replica of the API.
   * @param env its own settings
   */
  startApi(env?: Record<string, string>): Promise<RunningApi>;
  call: SystemClient['api'];
  stop(): Promise<void>;
};

const moduleOf = (name: string) => fileURLToPath(import.meta.resolve(name));

/** Starts the system on free ports. */
export async function startProcessSystem(options: ProcessSystemOptions = {}): Promise<ProcessSystem> {
  const { adminKey = testAdminKey } = options;
  const database = options.databaseUrl ? undefined : await createTestDatabase();
  const nats = options.natsUrl ? undefined : await testNats();
  const databaseUrl = options.databaseUrl ?? database?.url ?? '';
  const natsUrl = options.natsUrl ?? nats?.url ?? '';
  const bank = await startBank();
  const banks = await startBanks(options.banks ?? []);
  const [port, adminPort] = [await freePort(), await freePort()];
  const urls = {
    url: `http://127.0.0.1:${port}`,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    bankUrl: bank.url,
  };
  const env: Record<string, string> = {
    ...serviceSettings({ databaseUrl, natsUrl, bankUrl: bank.url, publicUrl: urls.url }),
    ...(nats ? { NATS_STREAM: nats.stream } : {}),
    ADMIN_KEY: adminKey,
    LOG_LEVEL: 'warn',
    SCAN_INTERVAL_SECONDS: '1',
    ...(options.banks && { BANKS_FILE: banks.write() }),
    ...options.env,
  };

  const start = async (service: string, own: Record<string, string>): Promise<RunningProcess> => {
    const started = startProcess(moduleOf(`@payments/${service}/main`), { ...env, ...own });
    await started.ready;
    return Object.assign(started, { port: Number(own.PORT) });
  };
  const dispatchers: RunningProcess[] = [];
  const startDispatcher = async (own: Record<string, string> = {}) => {
    const dispatcher = await start('dispatcher', { ...own, PORT: String(await freePort()) });
    dispatchers.push(dispatcher);
    return dispatcher;
  };
  const replicas: RunningApi[] = [];
  const startApi = async (own: Record<string, string> = {}) => {
    const replicaPort = own.PORT ?? String(await freePort());
    const started = await start('api', { ADMIN_PORT: '0', ...own, PORT: replicaPort });
    const callReplica = systemClient({ ...urls, url: `http://127.0.0.1:${replicaPort}` }, adminKey).api;
    const replica = Object.assign(started, { call: callReplica });
    replicas.push(replica);
    return replica;
  };
  const api = await startApi({ PORT: String(port), ADMIN_PORT: String(adminPort) });
  await Promise.all(Array.from({ length: options.dispatchers ?? 1 }, () => startDispatcher()));

  const { api: call, ...client } = systemClient(urls, adminKey);
  return {
    ...urls,
    ...client,
    call,
    databaseUrl,
    env,
    banks,
    api,
    dispatchers,
    startApi,
    startDispatcher,
    stop: async () => {
      await Promise.all([...replicas, ...dispatchers].map((one) => one.kill('SIGTERM')));
      await Promise.all([bank.close(), banks.close(), database?.drop(), nats?.stop()]);
    },
  };
}
