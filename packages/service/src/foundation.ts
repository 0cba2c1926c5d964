import { connect, type Database } from '@payments/database/connection';
import { removePublished, sweepOutbox } from '@payments/database/events/outbox';
import { assertSchemaCurrent } from '@payments/database/migrate';
import { findNewestWebhookSecret } from '@payments/database/stores/webhook-secrets';
import { onEventCommitted } from '@payments/database/transaction';
import { connectEvents } from '@payments/events/connection';
import { startPublishing } from '@payments/events/publishing';
import { readBanks } from '@payments/pix/bank-settings';
import { type OpenBanks, openBanks } from '@payments/pix/banks';
import { inWords } from '@payments/pix/tls-settings';
import { type SecretBox, secretBox } from '@payments/runtime/secret-box';
import type { SettlementContext } from '@payments/settlement/context';
import { settlementRules } from '@payments/settlement/settings';
import type { Logger } from 'pino';
import { serviceMetrics } from './metrics.ts';
import type { StartOptions } from './run.ts';
import type { SharedSettings } from './settings.ts';
import { waitForDatabase } from './wait-for-database.ts';
import { watchBanks } from './watch-banks.ts';

type FoundationOptions = StartOptions & {
  name: string;
  log: Logger;
  /** The longest that one PSP operation may take. */
  pixTimeoutMs: number;
};

/** The context of settlement, with the rest that both services share. */
export type ServiceContext = SettlementContext & { banks: OpenBanks; secrets: SecretBox };

/**
 * Connects a service to all that both are built on. It waits for the database, but not for NATS or the PSP.
 * @throws ConfigurationError; SchemaOutdated if the migrations have not run
 */
export async function startFoundation(
  settings: SharedSettings,
  { name, log, pixTimeoutMs, now = () => new Date(), stopping }: FoundationOptions,
) {
  const metrics = serviceMetrics();
  const banks = openBanks(readBanks(settings, pixTimeoutMs), {
    onCall: metrics.pspCalled,
    onUnusableFile: (bank, error) => log.error({ bank }, `${inWords(error)}; the old one stays in use`),
  });
  const { db, secrets } = await openDatabase(settings, { name, log, stopping });
  const { NATS_URL: url, NATS_STREAM: stream, NATS_REPLICAS: replicas } = settings;
  const events = connectEvents({ url, stream, replicas, name, log });
  events.onReconnect(() => {
    events.ensureStream().catch((error: unknown) => log.warn({ err: error }, 'the stream could not be made'));
  });
  const publishing = startPublishing({
    connection: events,
    outbox: {
      onCommitted: (listener) => onEventCommitted(db, listener),
      remove: (eventIds) => removePublished(db, eventIds),
      sweep: (limit, publish) => sweepOutbox(db, { limit }, publish),
    },
    onPublished: metrics.events.published,
    log,
  });
  const watch = await watchBanks({ db, banks, settings, timeoutMs: pixTimeoutMs, log, now });
  metrics.watch({ db, banks, isNatsConnected: events.isConnected, now });
  const context: ServiceContext = { db, banks, secrets, log, now, ...settlementRules(settings) };
  return {
    context,
    events,
    metrics,
    /** Publishes committed events, then closes every connection. Call it when nothing uses them any more. */
    close: async () => {
      await Promise.all([publishing.stop(), watch.stop()]);
      await Promise.all([events.close(), banks.close()]);
      await db.destroy();
    },
  };
}

/** @throws ConfigurationError if the secrets of the database were sealed with another key */
async function openSecrets(
  db: Database,
  { SECRETS_KEY, SECRETS_KEY_PREVIOUS }: SharedSettings,
  log: Logger,
): Promise<SecretBox> {
  if (SECRETS_KEY === undefined) log.warn('SECRETS_KEY is not set: the database keeps secrets as they are');
  const secrets = secretBox([SECRETS_KEY, SECRETS_KEY_PREVIOUS].filter((key) => key !== undefined));
  const stored = await findNewestWebhookSecret(db);
  if (stored !== undefined) secrets.open(stored);
  return secrets;
}

/** A start that fails leaves no connection open. */
async function openDatabase(
  settings: SharedSettings,
  { name, log, stopping }: Pick<FoundationOptions, 'name' | 'log' | 'stopping'>,
): Promise<{ db: Database; secrets: SecretBox }> {
  const db = connect(settings.DATABASE_URL, {
    poolSize: settings.DATABASE_POOL_SIZE,
    applicationName: `payments-${name}`,
    onIdleError: (error) => log.warn({ err: error }, 'lost a database connection'),
  });
  try {
    await waitForDatabase(() => assertSchemaCurrent(db), log, { stopping });
    return { db, secrets: await openSecrets(db, settings, log) };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
