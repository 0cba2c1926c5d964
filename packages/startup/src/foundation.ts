import { connect, type Database } from '@payments/database/connection';
import { followServer } from '@payments/database/events/feed';
import { removePublished, sweepOutbox } from '@payments/database/events/outbox';
import { assertSchemaCurrent } from '@payments/database/migrate';
import { type SealingKeys, type SecretBox, secretBox } from '@payments/database/secret-box';
import { rewritesRecord } from '@payments/database/services-role';
import { connectEvents } from '@payments/jetstream/connection';
import { startPublishing } from '@payments/jetstream/publishing';
import { readBanks } from '@payments/pix/bank-settings';
import { type BankAccount, type OpenBanks, openBanks } from '@payments/pix/banks';
import { canonicalKey } from '@payments/pix/keys';
import { inWords } from '@payments/pix/tls-settings';
import { ConfigurationError } from '@payments/runtime/environment';
import type { SettlementContext } from '@payments/settlement/context';
import { settlementRules } from '@payments/settlement/settings';
import type { Logger } from 'pino';
import { databaseTime, type Time, watchClock } from './database-clock.ts';
import { serviceMetrics } from './metrics.ts';
import type { StartOptions } from './run.ts';
import type { SharedSettings } from './settings.ts';
import {
  openAll,
  type StoredSecrets,
  sealAnew,
  storedMailLinks,
  storedWebhookSecrets,
} from './stored-secrets.ts';
import { waitForDatabase } from './wait-for-database.ts';
import { watchBanks } from './watch-banks.ts';

type FoundationOptions = StartOptions & {
  name: string;
  log: Logger;
  /** The longest that one PSP operation may take. */
  pixTimeoutMs: number;
  /** Further secrets that this service keeps. */
  storedSecrets?: ((db: Database) => StoredSecrets[]) | undefined;
};

/** The context of settlement, with the rest that both services share. */
export type ServiceContext = SettlementContext & {
  banks: OpenBanks;
  secrets: SecretBox;
  /** False while nothing may fall due, since this machine's clock and PostgreSQL's differ. */
  isClockBelieved: () => boolean;
};

/**
 * Connects a service to all that both are built on. It waits for the database, but not for NATS or the PSP.
 * @throws ConfigurationError; SchemaOutdated if the migrations have not run
 */
export async function startFoundation(
  settings: SharedSettings,
  { name, log, pixTimeoutMs, wallClock, ...options }: FoundationOptions,
) {
  const metrics = serviceMetrics();
  const accounts = readBanks(settings, pixTimeoutMs);
  tellOfKeys(accounts, log);
  const openAt = (now: Time['now']) =>
    openBanks(accounts, {
      now: () => now().getTime(),
      onCall: metrics.pspCalled,
      onUnusableFile: (bank, error) => log.error({ bank }, `${inWords(error)}; the old one stays in use`),
    });
  const { db, time, secrets, banks } = await openDatabase(settings, { name, log, ...options }, openAt);
  const { now } = time;
  const { NATS_URL: url, NATS_CA_FILE: caFile, NATS_STREAM: stream, NATS_REPLICAS: replicas } = settings;
  const events = connectEvents({ url, caFile, stream, replicas, name, log });
  events.onReconnect(() => {
    events.ensureStream().catch((error: unknown) => log.warn({ err: error }, 'the stream could not be made'));
  });
  const publishing = startPublishing({
    connection: events,
    outbox: {
      onCommitted: (listener) => void db.listeners.push(listener),
      remove: (eventIds) => removePublished(db, eventIds),
      sweep: (limit, publish) => sweepOutbox(db, { limit }, publish),
    },
    onPublished: metrics.events.published,
    log,
  });
  // A test that passes its own clock moves it as it likes. That clock then counts as the machine's, too, so that the two
  // never differ.
  const machineClock = wallClock ?? (options.now ? () => now().getTime() : Date.now);
  const clock = watchClock({ time, machineClock, log });
  const { stopping } = options;
  const watch = await watchBanks({ db, banks, settings, timeoutMs: pixTimeoutMs, log, now, stopping });
  metrics.watch({
    db,
    banks,
    isNatsConnected: events.isConnected,
    now,
    clockDifferenceMs: clock.differenceMs,
  });
  const context: ServiceContext = {
    db,
    banks,
    secrets,
    log,
    isClockBelieved: clock.isBelieved,
    now,
    ...settlementRules(settings),
  };
  return {
    context,
    events,
    metrics,
    /** Publishes committed events, then closes every connection. Call it when nothing uses them any more. */
    close: async () => {
      await Promise.all([publishing.stop(), watch.stop(), clock.stop()]);
      await Promise.all([events.close(), banks.close()]);
      await db.destroy();
    },
  };
}

/** The key itself may be a person's e-mail, telephone or CPF, so the line does not have it. */
function tellOfKeys(accounts: readonly BankAccount[], log: Logger): void {
  for (const { id, options } of accounts)
    if (options.key !== canonicalKey(options.key))
      log.info({ bank: id }, 'PIX_KEY is written otherwise than in DICT; the bank gets it as DICT writes it');
}

function keysOf({ SECRETS_KEY, SECRETS_KEY_NEXT, SECRETS_KEY_PREVIOUS }: SharedSettings): SealingKeys {
  const previous = SECRETS_KEY_PREVIOUS === undefined ? [] : [SECRETS_KEY_PREVIOUS];
  return { current: SECRETS_KEY, next: SECRETS_KEY_NEXT, previous };
}

/** @throws ConfigurationError if no key opens some secrets of the database */
async function openSecrets(
  db: Database,
  keys: SealingKeys,
  { log, stopping, storedSecrets }: Pick<FoundationOptions, 'log' | 'stopping' | 'storedSecrets'>,
): Promise<SecretBox> {
  if (keys.current === undefined) log.warn('SECRETS_KEY is not set: the database keeps secrets as they are');
  const secrets = secretBox(keys);
  const own = [storedWebhookSecrets(db, secrets), storedMailLinks(db, secrets)];
  const kinds = [...own, ...(storedSecrets?.(db) ?? [])];
  const { old } = await waitForDatabase(() => openAll(kinds), log, { stopping });
  if (old > 0) await waitForDatabase(() => sealAnew(kinds, log), log, { stopping });
  return secrets;
}

/** @throws ConfigurationError in production, if the services' role could rewrite the record of changes */
async function assertKeepsRecord(db: Database, log: Logger): Promise<void> {
  const reason = await rewritesRecord(db);
  if (reason === undefined) return;
  const advice = `DATABASE_URL: ${reason}: the services need a role of their own (deploy/README.md, SERVICES_ROLE)`;
  if (process.env.NODE_ENV?.trim() === 'production') throw new ConfigurationError(advice);
  log.info(advice);
}

type OpenOptions = Pick<
  FoundationOptions,
  'name' | 'log' | 'now' | 'databasePatienceMs' | 'stopping' | 'storedSecrets'
>;

/** Opens the database, and the banks by its time. A start that fails leaves no connection open. */
async function openDatabase(
  settings: SharedSettings,
  { name, log, now, databasePatienceMs, stopping, storedSecrets }: OpenOptions,
  openAt: (now: Time['now']) => OpenBanks,
): Promise<{ db: Database; time: Time; secrets: SecretBox; banks: OpenBanks }> {
  const keys = keysOf(settings);
  const db = connect(settings.DATABASE_URL, {
    poolSize: settings.DATABASE_POOL_SIZE,
    applicationName: `payments-${name}`,
    patienceMs: databasePatienceMs,
    onIdleError: (error) => log.warn({ err: error }, 'lost a database connection'),
  });
  try {
    await waitForDatabase(() => assertSchemaCurrent(db), log, { stopping });
    await waitForDatabase(() => followServer(db), log, { stopping });
    await waitForDatabase(() => assertKeepsRecord(db, log), log, { stopping });
    const time = now ? { now, sample: async () => {} } : databaseTime(db);
    await waitForDatabase(time.sample, log, { stopping });
    const secrets = await openSecrets(db, keys, { log, stopping, storedSecrets });
    return { db, time, secrets, banks: openAt(time.now) };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
