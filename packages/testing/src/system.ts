import { startApi } from '@payments/api/api';
import { apiSettings } from '@payments/api/settings';
import { freePort } from '@payments/backing-services/free-port';
import { connect, type Database } from '@payments/database/connection';
import { type Dispatcher, startDispatcher } from '@payments/dispatcher/dispatcher';
import { dispatcherSettings } from '@payments/dispatcher/settings';
import { buildSimulator, type SimulatorOptions } from '@payments/pix-simulator/app';
import { basePaths } from '@payments/pix-simulator/banks/all';
import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { createTestDatabase } from './database.ts';
import { call, type HttpAnswer, type HttpCall } from './http.ts';
import { testNats } from './nats.ts';
import { assertDocumented, watchAnswers } from './openapi/watch.ts';

export type SystemOptions = {
  /** Settings beside the defaults of a test. */
  env?: Record<string, string>;
  now?: () => Date;
  /** How the bank is, beside its credentials. */
  bank?: SimulatorOptions;
  /** Without a dispatcher nothing is delivered or scanned. */
  dispatcher?: boolean;
};

export type TestStore = { id: string; token: string };

/** The whole service, in this process, on real PostgreSQL, NATS and HTTP, with a bank of its own. */
export type TestSystem = {
  url: string;
  adminUrl: string;
  bankUrl: string;
  env: Record<string, string>;
  db: Database;
  /** The bank itself. */
  simulator: ReturnType<typeof buildSimulator>;
  api(path: string, request?: HttpCall): Promise<HttpAnswer>;
  admin(path: string, request?: HttpCall): Promise<HttpAnswer>;
  bank(path: string, body?: unknown): Promise<HttpAnswer>;
  createStore(fields?: Record<string, unknown>): Promise<TestStore>;
  /** Polls a payment until it has this status. */
  waitForStatus(
    store: TestStore,
    id: string,
    status: string,
    timeoutMs?: number,
  ): Promise<HttpAnswer['body']>;
  startDispatcher(): Promise<Dispatcher>;
  stop(): Promise<void>;
};

const adminKey = 'test-admin-key';

/** Starts everything on free ports and an empty database. */
export async function startSystem({
  env = {},
  now,
  bank = {},
  dispatcher = true,
}: SystemOptions = {}): Promise<TestSystem> {
  const [database, nats, port] = await Promise.all([createTestDatabase(), testNats(), freePort()]);
  const simulator = buildSimulator({
    clientId: 'client',
    clientSecret: 'secret',
    key: 'pix@example.com',
    ...bank,
  });
  const bankUrl = await simulator.listen({ port: 0, host: '127.0.0.1' });
  const settings: Record<string, string> = {
    PORT: String(port),
    ADMIN_PORT: '0',
    HOST: '127.0.0.1',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    ADMIN_KEY: adminKey,
    DATABASE_URL: database.url,
    NATS_URL: nats.url,
    NATS_STREAM: nats.stream,
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    PIX_URL: bankUrl + basePaths[bank.profile ?? 'bacen'],
    PIX_PSP: bank.profile ?? 'bacen',
    PIX_CLIENT_ID: 'client',
    PIX_CLIENT_SECRET: 'secret',
    PIX_KEY: 'pix@example.com',
    SCAN_INTERVAL_SECONDS: '1',
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8,::1/128',
    ...env,
  };
  const log = (service: string) => createLogger(service, settings.LOG_LEVEL ?? 'silent');
  const api = await startApi(readEnvironment(apiSettings, settings), log('api'), { now });
  const dispatcherOf = () =>
    startDispatcher(readEnvironment(dispatcherSettings, { ...settings, PORT: '0' }), log('dispatcher'), {
      now,
    });
  const dispatchers = dispatcher ? [await dispatcherOf()] : [];
  const undocumented = new Set<string>();
  watchAnswers(api.port, 'public', (failure) => undocumented.add(failure));
  watchAnswers(api.adminPort, 'admin', (failure) => undocumented.add(failure));
  const db = connect(database.url, { poolSize: 3 });
  const url = `http://127.0.0.1:${api.port}`;
  const adminUrl = `http://127.0.0.1:${api.adminPort}`;
  const admin = (path: string, request: HttpCall = {}) =>
    call(adminUrl + path, { token: adminKey, ...request });
  const callApi = (path: string, request?: HttpCall) => call(url + path, request);

  return {
    url,
    adminUrl,
    bankUrl,
    env: settings,
    db,
    simulator,
    api: callApi,
    admin,
    bank: (path, body) => call(bankUrl + path, body === undefined ? {} : { body }),
    createStore: async (fields = {}) => {
      const { body: store } = await admin('/admin/stores', { body: { name: 'Loja', ...fields } });
      const { body: token } = await admin(`/admin/stores/${store.id}/tokens`, { body: {} });
      return { id: store.id, token: token.token };
    },
    waitForStatus: (store, id, status, timeoutMs = 10_000) =>
      eventually(timeoutMs, `payment ${id} to be ${status}`, async () => {
        const { body } = await callApi(`/api-public/payments/${id}`, { token: store.token });
        return body.status === status ? body : undefined;
      }),
    startDispatcher: dispatcherOf,
    stop: async () => {
      await Promise.all([api.close(), ...dispatchers.map((one) => one.close())]);
      // The bank judges every request by the API Pix document's schemas.
      const { body } = await call(`${bankUrl}/bank/violations`);
      await simulator.close();
      await db.destroy();
      await Promise.all([database.drop(), nats.stop()]);
      if (body.violations.length > 0) throw new Error(`API Pix violated: ${JSON.stringify(body.violations)}`);
      assertDocumented(undocumented);
    },
  };
}

/** Asks again and again, closely, until something is answered. @throws when it takes too long */
export async function eventually<T>(
  timeoutMs: number,
  what: string,
  ask: () => Promise<T | undefined>,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
