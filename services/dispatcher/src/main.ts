import { connect } from '@payments/database/connection';
import { assertSchemaCurrent } from '@payments/database/migrate';
import { connectEvents } from '@payments/events/connection';
import { createPixClient } from '@payments/pix/client';
import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { main } from '@payments/runtime/main';
import { pixOptions } from '@payments/runtime/pix-options';
import { closeOnSignals } from '@payments/runtime/shutdown';
import { waitForDatabase } from '@payments/runtime/wait-for-database';
import { webhookPolicy } from '@payments/runtime/webhook-policy';
import { createSender } from '@payments/webhooks/sender';
import { startDispatcher } from './dispatcher.ts';
import { buildHealthApp } from './health/app.ts';
import { dispatcherSettings } from './settings.ts';

const closingMs = 15_000;

main(async () => {
  const settings = readEnvironment(dispatcherSettings, process.env);
  const { policy } = webhookPolicy(settings.WEBHOOK_ALLOW_PRIVATE);
  const log = createLogger('dispatcher', settings.LOG_LEVEL);
  const db = connect(settings.DATABASE_URL, {
    poolSize: settings.DATABASE_POOL_SIZE,
    applicationName: 'payments-dispatcher',
    onIdleError: (error) => log.warn({ err: error }, 'lost a database connection'),
  });
  await waitForDatabase(() => assertSchemaCurrent(db), log);
  const connection = connectEvents({
    url: settings.NATS_URL,
    stream: settings.NATS_STREAM,
    name: 'dispatcher',
    log,
  });
  const pix = createPixClient(pixOptions(settings));
  const sender = createSender({
    policy,
    timeoutMs: settings.WEBHOOK_TIMEOUT_MS,
    connectionsPerOrigin: settings.WEBHOOK_CONCURRENCY,
  });
  const publicUrl = settings.PUBLIC_URL.replace(/\/+$/, '');
  const dispatcher = startDispatcher({
    context: { db, pix, log, now: () => new Date(), publicUrl },
    connection,
    sender,
    retrySchedule: settings.WEBHOOK_RETRY_SECONDS.split(',').map(Number),
    scanIntervalMs: settings.SCAN_INTERVAL_SECONDS * 1_000,
    reviewTimeoutSeconds: settings.REVIEW_TIMEOUT_SECONDS,
    concurrency: settings.WEBHOOK_CONCURRENCY,
    concurrencyPerEndpoint: settings.WEBHOOK_CONCURRENCY_PER_ENDPOINT,
  });
  let accepting = true;
  const isNatsConnected = connection.isConnected;
  const health = buildHealthApp({ db, log, isNatsConnected, isAccepting: () => accepting });
  await health.listen({ port: settings.PORT, host: settings.HOST });

  closeOnSignals(log, settings.WEBHOOK_TIMEOUT_MS + closingMs, async () => {
    accepting = false;
    await dispatcher.stop();
    await Promise.all([health.close(), connection.close(), sender.close(), pix.close()]);
    await db.destroy();
  });
});
