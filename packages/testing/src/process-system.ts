import { fileURLToPath } from 'node:url';
import { freePort } from '@payments/backing-services/free-port';
import { buildSimulator } from '@payments/pix-simulator/app';
import { createTestDatabase } from './database.ts';
import { call, type HttpAnswer, type HttpCall } from './http.ts';
import { testNats } from './nats.ts';
import { startProcess, type TestProcess } from './processes.ts';
import type { TestStore } from './system.ts';

export type ProcessSystemOptions = {
  env?: Record<string, string>;
  dispatchers?: number;
  /** What opens the admin port. */
  adminKey?: string;
  /** Servers of the test's own, to be stopped and killed; else those of the test run. */
  databaseUrl?: string;
  natsUrl?: string;
};

export type RunningProcess = TestProcess & { port: number };

/** The service as real processes: one API, any number of dispatchers, a bank in this process. */
export type ProcessSystem = {
  url: string;
  adminUrl: string;
  bankUrl: string;
  databaseUrl: string;
  api: RunningProcess;
  dispatchers: RunningProcess[];
  /** Starts one more dispatcher, ready when this resolves. */
  startDispatcher(): Promise<RunningProcess>;
  call(path: string, request?: HttpCall): Promise<HttpAnswer>;
  admin(path: string, request?: HttpCall): Promise<HttpAnswer>;
  bank(path: string, body?: unknown): Promise<HttpAnswer>;
  createStore(fields?: Record<string, unknown>): Promise<TestStore>;
  stop(): Promise<void>;
};

const moduleOf = (name: string) => fileURLToPath(import.meta.resolve(name));

/** Starts all of it on free ports. */
export async function startProcessSystem(options: ProcessSystemOptions = {}): Promise<ProcessSystem> {
  const { adminKey = 'test-admin-key' } = options;
  const database = options.databaseUrl ? undefined : await createTestDatabase();
  const nats = options.natsUrl ? undefined : await testNats();
  const databaseUrl = options.databaseUrl ?? database?.url ?? '';
  const simulator = buildSimulator({ clientId: 'client', clientSecret: 'secret', key: 'pix@example.com' });
  const bankUrl = await simulator.listen({ port: 0, host: '127.0.0.1' });
  const [port, adminPort] = [await freePort(), await freePort()];
  const env: Record<string, string> = {
    HOST: '127.0.0.1',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    ADMIN_KEY: adminKey,
    DATABASE_URL: databaseUrl,
    NATS_URL: options.natsUrl ?? nats?.url ?? '',
    ...(nats ? { NATS_STREAM: nats.stream } : {}),
    LOG_LEVEL: 'warn',
    PIX_URL: bankUrl,
    PIX_CLIENT_ID: 'client',
    PIX_CLIENT_SECRET: 'secret',
    PIX_KEY: 'pix@example.com',
    SCAN_INTERVAL_SECONDS: '1',
    RATE_LIMIT_PER_MINUTE: '0',
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8,::1/128',
    ...options.env,
  };

  const start = async (service: string, own: Record<string, string>): Promise<RunningProcess> => {
    const started = startProcess(moduleOf(`@payments/${service}/main`), { ...env, ...own });
    await started.ready;
    return Object.assign(started, { port: Number(own.PORT) });
  };
  const dispatchers: RunningProcess[] = [];
  const startDispatcher = async () => {
    const dispatcher = await start('dispatcher', { PORT: String(await freePort()) });
    dispatchers.push(dispatcher);
    return dispatcher;
  };
  const api = await start('api', { PORT: String(port), ADMIN_PORT: String(adminPort) });
  await Promise.all(Array.from({ length: options.dispatchers ?? 1 }, startDispatcher));

  const url = `http://127.0.0.1:${port}`;
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  const admin = (path: string, request: HttpCall = {}) =>
    call(adminUrl + path, { token: adminKey, ...request });
  return {
    url,
    adminUrl,
    bankUrl,
    databaseUrl,
    api,
    dispatchers,
    startDispatcher,
    call: (path, request) => call(url + path, request),
    admin,
    bank: (path, body) => call(bankUrl + path, body === undefined ? {} : { body }),
    createStore: async (fields = {}) => {
      const { body: store } = await admin('/admin/stores', { body: { name: 'Loja', ...fields } });
      const { body: token } = await admin(`/admin/stores/${store.id}/tokens`, { body: {} });
      return { id: store.id, token: token.token };
    },
    stop: async () => {
      await Promise.all([api, ...dispatchers].map((one) => one.kill('SIGTERM')));
      // The bank judges every request by the API Pix document's schemas.
      const { body } = await call(`${bankUrl}/bank/violations`);
      await simulator.close();
      await Promise.all([database?.drop(), nats?.stop()]);
      if (body.violations.length > 0) throw new Error(`API Pix violated: ${JSON.stringify(body.violations)}`);
    },
  };
}
