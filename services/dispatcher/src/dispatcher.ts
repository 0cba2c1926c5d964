import { startFoundation } from '@payments/service/foundation';
import { listen } from '@payments/service/listen';
import { listenForMetrics } from '@payments/service/metrics-listener';
import type { StartOptions } from '@payments/service/run';
import { createSender } from '@payments/webhooks/sender';
import { webhookPolicy } from '@payments/webhooks/settings';
import type { Logger } from 'pino';
import { buildHealthApp } from './health/app.ts';
import { dispatcherMetrics } from './health/metrics.ts';
import type { DispatcherSettings } from './settings.ts';
import { startWork } from './work.ts';

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
  const foundation = await startFoundation(settings, { ...options, name: 'dispatcher', log, pixTimeoutMs });
  const { context, events } = foundation;
  const metrics = dispatcherMetrics(foundation.metrics, settings.REVIEW_TIMEOUT_SECONDS);
  const sender = createSender({ policy, allowHttp, timeoutMs: settings.WEBHOOK_TIMEOUT_MS });
  let accepting = true;
  const health = buildHealthApp({
    db: context.db,
    log,
    register: settings.METRICS_PORT === undefined ? metrics.register : undefined,
    isNatsConnected: events.isConnected,
    isAccepting: () => accepting,
  });
  const port = await listen(health, { port: settings.PORT, host: settings.HOST });
  const metricsListener = await listenForMetrics(metrics.register, settings);
  const work = startWork({ context, connection: events, metrics, sender, settings });

  return {
    port,
    close: async () => {
      accepting = false;
      await work.stop();
      await Promise.all([health.close(), sender.close(), metricsListener?.close()]);
      await foundation.close();
    },
  };
}
