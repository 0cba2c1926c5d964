import type { AddressInfo } from 'node:net';
import { connect } from '@payments/database/connection';
import { assertSchemaCurrent } from '@payments/database/migrate';
import { connectEvents } from '@payments/events/connection';
import { createPixClient } from '@payments/pix/client';
import { pixOptions } from '@payments/pix/settings';
import type { StartOptions } from '@payments/runtime/service';
import { settlementRules } from '@payments/runtime/settlement-rules';
import { waitForDatabase } from '@payments/runtime/wait-for-database';
import { webhookPolicy } from '@payments/runtime/webhook-policy';
import { createSender } from '@payments/webhooks/sender';
import type { Logger } from 'pino';
import { buildHealthApp } from './health/app.ts';
import { dispatcherMetrics } from './health/metrics.ts';
import type { DispatcherSettings } from './settings.ts';
import { startWork } from './work.ts';

const pixTimeoutMs = 10_000;

export type Dispatcher = {
  port: number;
  /** Claims nothing more, lets the attempts under way end, then closes every connection. */
  close(): Promise<void>;
};

/**
 * Starts a dispatcher; waits for the database, but neither for NATS nor for the PSP.
 * @throws ConfigurationError; SchemaOutdated when the migrations have not run; EADDRINUSE
 */
export async function startDispatcher(
  settings: DispatcherSettings,
  log: Logger,
  { now = () => new Date(), stopping }: StartOptions = {},
): Promise<Dispatcher> {
  const { policy } = webhookPolicy(settings.WEBHOOK_ALLOW_PRIVATE, settings.WEBHOOK_DENY);
  const metrics = dispatcherMetrics(settings.REVIEW_TIMEOUT_SECONDS);
  const pix = createPixClient({ ...pixOptions(settings, pixTimeoutMs), onCall: metrics.pspCalled });
  const db = connect(settings.DATABASE_URL, {
    poolSize: settings.DATABASE_POOL_SIZE,
    applicationName: 'payments-dispatcher',
    onIdleError: (error) => log.warn({ err: error }, 'lost a database connection'),
  });
  await waitForDatabase(() => assertSchemaCurrent(db), log, stopping);

  const connection = connectEvents({
    url: settings.NATS_URL,
    stream: settings.NATS_STREAM,
    name: 'dispatcher',
    log,
  });
  const sender = createSender({
    policy,
    timeoutMs: settings.WEBHOOK_TIMEOUT_MS,
    connectionsPerOrigin: settings.WEBHOOK_CONCURRENCY,
  });
  let accepting = true;
  const isNatsConnected = connection.isConnected;
  metrics.watch({ db, pix, isNatsConnected, now });
  const { register } = metrics;
  const health = buildHealthApp({ db, log, register, isNatsConnected, isAccepting: () => accepting });
  await health.listen({ port: settings.PORT, host: settings.HOST });
  const work = startWork({
    context: { db, pix, log, now, ...settlementRules(settings) },
    connection,
    metrics,
    sender,
    retrySchedule: settings.WEBHOOK_RETRY_SECONDS.split(',').map(Number),
    scanIntervalMs: settings.SCAN_INTERVAL_SECONDS * 1_000,
    reviewTimeoutSeconds: settings.REVIEW_TIMEOUT_SECONDS,
    retentionDays: settings.RETENTION_DAYS,
    concurrency: settings.WEBHOOK_CONCURRENCY,
    concurrencyPerEndpoint: settings.WEBHOOK_CONCURRENCY_PER_ENDPOINT,
  });

  return {
    port: (health.server.address() as AddressInfo).port,
    close: async () => {
      accepting = false;
      await work.stop();
      await Promise.all([health.close(), connection.close(), sender.close(), pix.close()]);
      await db.destroy();
    },
  };
}
