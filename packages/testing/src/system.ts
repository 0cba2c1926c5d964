import { startApi } from '@payments/api/api';
import { apiSettings } from '@payments/api/settings';
import { connect, type Database } from '@payments/database/connection';
import { type Dispatcher, startDispatcher } from '@payments/dispatcher/dispatcher';
import { dispatcherSettings } from '@payments/dispatcher/settings';
import { freePort } from '@payments/local-servers/free-port';
import type { buildSimulator, SimulatorOptions } from '@payments/pix-simulator/app';
import { basePaths } from '@payments/pix-simulator/banks/all';
import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import type { CreatedPayment, Paid } from './answers.ts';
import { startBank } from './bank.ts';
import { createTestDatabase } from './database.ts';
import type { HttpAnswer } from './http.ts';
import { testNats } from './nats.ts';
import { assertDocumented, watchAnswers } from './openapi/watch.ts';
import { eventually } from './patience.ts';
import { serviceSettings } from './service-settings.ts';
import { createPayment, type SystemClient, systemClient, type TestStore } from './system-client.ts';

export type { TestStore };
export { eventually };

export type SystemOptions = {
  /** Settings beyond the defaults of a test. One that waits for timed scans sets `SCAN_INTERVAL_SECONDS`. */
  env?: Record<string, string>;
  now?: () => Date;
  /** The machine's clock in milliseconds since 1970, of both services. */
  wallClock?: () => number;
  /** The longest that the API waits for the bank; by default longer than a slow machine needs. */
  pixTimeoutMs?: number;
  /** How long the API waits for the database, if not as in production. */
  databasePatienceMs?: number;
  /** How the bank is, beside its credentials. */
  bank?: SimulatorOptions;
  /** Without a dispatcher nothing is delivered or scanned. */
  dispatcher?: boolean;
  /** Receives what both services log. */
  log?: ReturnType<typeof createLogger>;
};

type SaleBody = { amount: number } & Record<string, unknown>;
type SaleOptions = { valor?: string | undefined; until?: string };

/** The whole service in this process, with real PostgreSQL, NATS and HTTP, and its own bank. */
export type TestSystem = SystemClient & {
  url: string;
  adminUrl: string;
  bankUrl: string;
  env: Record<string, string>;
  db: Database;
  /** The bank itself. */
  simulator: ReturnType<typeof buildSimulator>;
  /** Polls a payment until it has this status. */
  waitForStatus(store: TestStore, id: string, status: string): Promise<HttpAnswer['body']>;
  /**
   * A store charges, and its customer pays the code.
   * @param given the creation's body
   * @param options.valor the amount of the Pix, if not the charged one; `until`: the status to wait for, by default
   * `approved`
   * @returns the payment as it was created, and the Pix's `endToEndId`
   */
  sell(
    store: TestStore,
    given: SaleBody,
    options?: SaleOptions,
  ): Promise<CreatedPayment & Pick<Paid, 'endToEndId'>>;
  startDispatcher(): Promise<Dispatcher>;
  stop(): Promise<void>;
};

/** Starts the system on free ports and an empty database. */
export async function startSystem({
  env = {},
  now,
  wallClock,
  pixTimeoutMs = 30_000,
  databasePatienceMs,
  bank = {},
  dispatcher = true,
  log: given,
}: SystemOptions = {}): Promise<TestSystem> {
  const [database, nats, startedBank, port] = await Promise.all([
    createTestDatabase(),
    testNats(),
    startBank(bank),
    freePort(),
  ]);
  const publicUrl = `http://127.0.0.1:${port}`;
  const settings: Record<string, string> = {
    ...serviceSettings({ databaseUrl: database.url, natsUrl: nats.url, bankUrl: startedBank.url, publicUrl }),
    // Tests of limits set their own, and the others stay below the default.
    RATE_LIMIT_PER_MINUTE: '',
    PORT: String(port),
    ADMIN_PORT: '0',
    NATS_STREAM: nats.stream,
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    PIX_URL: startedBank.url + basePaths[bank.profile ?? 'bacen'],
    PIX_PSP: bank.profile ?? 'bacen',
    // Most tests wait for no scan. Each second's scans are sixty queries, and systems wait beside each other.
    SCAN_INTERVAL_SECONDS: '5',
    // For a system's start and use PostgreSQL works 1.4 s with ten, the default, and 1.0 s with five. Tests that fill
    // the API's shares of its connections set ten.
    DATABASE_POOL_SIZE: '5',
    ...env,
  };
  const log = (service: string) => given ?? createLogger(service, settings.LOG_LEVEL ?? 'silent');
  // Tests look at the database as its owner.
  const asServices = { ...settings, DATABASE_URL: env.DATABASE_URL ?? database.servicesUrl };
  const api = await startApi(readEnvironment(apiSettings, asServices), log('api'), {
    now,
    wallClock,
    pixTimeoutMs,
    databasePatienceMs,
    // By a clock that stands no overload lasts: a slow machine is none.
    loadClock: () => 0,
  });
  const dispatcherOf = () =>
    startDispatcher(readEnvironment(dispatcherSettings, { ...asServices, PORT: '0' }), log('dispatcher'), {
      now,
      wallClock,
    });
  const dispatchers = dispatcher ? [await dispatcherOf()] : [];
  const undocumented = new Set<string>();
  watchAnswers(api.port, 'public', (failure) => undocumented.add(failure));
  watchAnswers(api.adminPort, 'admin', (failure) => undocumented.add(failure));
  const db = connect(database.url, { poolSize: 3 });
  const urls = { url: publicUrl, adminUrl: `http://127.0.0.1:${api.adminPort}`, bankUrl: startedBank.url };
  const client = systemClient(urls);
  const waitForStatus: TestSystem['waitForStatus'] = (store, id, status) =>
    eventually(`payment ${id} to be ${status}`, async () => {
      const { body } = await client.api(`/api-public/payments/${id}`, { token: store.token });
      return body.status === status ? body : undefined;
    });

  return {
    ...urls,
    ...client,
    env: settings,
    db,
    simulator: startedBank.simulator,
    waitForStatus,
    sell: async (store, given, { valor, until = 'approved' } = {}) => {
      const payment = await createPayment(client.api, store.token, given);
      const paid = await client.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste, valor });
      await waitForStatus(store, payment.id, until);
      return { ...payment, endToEndId: paid.body.endToEndId };
    },
    startDispatcher: dispatcherOf,
    stop: async () => {
      await Promise.all([api.close(), ...dispatchers.map((one) => one.close())]);
      await db.destroy();
      await Promise.all([startedBank.close(), database.drop(), nats.stop()]);
      assertDocumented(undocumented);
    },
  };
}
