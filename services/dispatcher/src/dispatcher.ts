import { sharedPing } from '@payments/database/health';
import { startWakeUp } from '@payments/jetstream/wake-up';
import { gauge } from '@payments/metrics/registry';
import { startFoundation } from '@payments/startup/foundation';
import { listen, listenForMetrics } from '@payments/startup/listen';
import type { StartOptions } from '@payments/startup/run';
import { webhookSecretOwner } from '@payments/startup/stored-secrets';
import { healthAfter } from '@payments/webhooks/endpoint-health';
import { remembered } from '@payments/webhooks/remembered';
import { createSender, type Sender } from '@payments/webhooks/sender';
import { webhookPolicy } from '@payments/webhooks/settings';
import { signingKey } from '@payments/webhooks/signature';
import type { Logger } from 'pino';
import { startDeliveryWorker } from './deliveries/worker.ts';
import { buildHealthApp, dispatcherMetrics } from './health.ts';
import { routesOf, startNotices } from './notices/start-notices.ts';
import { type ScansOptions, startScans } from './scans/start-scans.ts';
import type { DispatcherSettings } from './settings.ts';

const pixTimeoutMs = 10_000;

export type Dispatcher = {
  port: number;
  /** Stops claiming, finishes the attempts in flight, then closes every connection. */
  close(): Promise<void>;
};

/**
 * Starts a dispatcher. It waits for the database, but not for NATS or the PSP.
 * @throws ConfigurationError; SchemaOutdated if the migrations have not run; EADDRINUSE
 */
export async function startDispatcher(
  settings: DispatcherSettings,
  log: Logger,
  options: StartOptions = {},
): Promise<Dispatcher> {
  const { policy, allowHttp } = webhookPolicy(
    settings.WEBHOOK_ALLOW_PRIVATE,
    settings.WEBHOOK_DENY,
    settings.WEBHOOK_ALLOW_HTTP,
  );
  const routes = routesOf(settings);
  const foundation = await startFoundation(settings, { ...options, name: 'dispatcher', log, pixTimeoutMs });
  const { context, events } = foundation;
  const metrics = dispatcherMetrics(foundation.metrics, settings.REVIEW_TIMEOUT_SECONDS);
  const sender = createSender({ policy, allowHttp, timeoutMs: settings.WEBHOOK_TIMEOUT_MS });
  let accepting = true;
  const health = buildHealthApp({
    ping: sharedPing(context.db),
    log,
    register: settings.METRICS_PORT === undefined ? metrics.register : undefined,
    isNatsConnected: events.isConnected,
    isAccepting: () => accepting,
  });
  const port = await listen(health, { port: settings.PORT, host: settings.HOST });
  const metricsListener = await listenForMetrics(metrics.register, settings);
  const work = startWork({ context, connection: events, metrics, sender, settings });
  const notices = startNotices({ context, metrics, settings }, routes);

  return {
    port,
    close: async () => {
      accepting = false;
      await Promise.all([work.stop(), notices.stop()]);
      await Promise.all([health.close(), sender.close(), metricsListener?.close()]);
      await foundation.close();
    },
  };
}

/** Runs the dispatcher's work until stopped: events, deliveries, and the timed scans. */
function startWork(options: ScansOptions & { sender: Sender }): { stop(): Promise<void> } {
  const { connection, metrics, sender, settings } = options;
  const { db, log, now, secrets } = options.context;

  // Opening a sealed secret costs a tenth of an attempt.
  const keyOf = remembered((stored: string, storeId: string) =>
    signingKey(secrets.open(stored, webhookSecretOwner(storeId))),
  );
  const schedule = settings.WEBHOOK_RETRY_SECONDS.split(',').map(Number);
  // An endpoint rests at first as long as the first retry waits.
  const [firstRest = 5] = schedule;
  const worker = startDeliveryWorker({
    db,
    sender,
    log,
    policy: { schedule, now, keyOf },
    judge: (health, attempt) => healthAfter(health, attempt, now(), firstRest),
    onAttempt: metrics.attempted,
    attemptMs: settings.WEBHOOK_TIMEOUT_MS,
    concurrency: settings.WEBHOOK_CONCURRENCY,
    perEndpoint: settings.WEBHOOK_CONCURRENCY_PER_ENDPOINT,
  });
  const onEvent = metrics.events.heard;
  const wakeUp = startWakeUp({ connection, log, onDeliveries: worker.wake, onEvent });
  const scans = startScans(options);
  const inFlightHelp = 'Webhook attempts in flight in this process';
  gauge(metrics.register, 'payments_deliveries_in_flight', inFlightHelp, worker.inFlight);

  return {
    stop: async () => {
      wakeUp.stop();
      await Promise.all([worker.stop(), scans.stop()]);
    },
  };
}
