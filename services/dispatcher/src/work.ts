import { startWakeUp } from '@payments/events/wake-up';
import { gauge } from '@payments/metrics/registry';
import { webhookSecretOwner } from '@payments/service/stored-secrets';
import { healthAfter } from '@payments/webhooks/endpoint-health';
import { remembered } from '@payments/webhooks/remembered';
import type { Sender } from '@payments/webhooks/sender';
import { signingKey } from '@payments/webhooks/signature';
import { startDeliveryWorker } from './deliveries/worker.ts';
import { type ScansOptions, startScans } from './scans/start-scans.ts';

/** Runs the dispatcher's work until stopped: events, deliveries, and the timed scans. */
export function startWork(options: ScansOptions & { sender: Sender }): { stop(): Promise<void> } {
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
