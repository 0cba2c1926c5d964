import { startWakeUp } from '@payments/events/wake-up';
import { type CircuitPolicy, healthAfter } from '@payments/webhooks/endpoint-health';
import { remembered } from '@payments/webhooks/remembered';
import type { Sender } from '@payments/webhooks/sender';
import { signingKey } from '@payments/webhooks/signature';
import { startDeliveryWorker } from './deliveries/worker.ts';
import { type ScansOptions, startScans } from './scans/start-scans.ts';

export type WorkOptions = ScansOptions & {
  sender: Sender;
  retrySchedule: readonly number[];
  concurrency: number;
  concurrencyPerEndpoint: number;
  /** The longest that an attempt can take. */
  attemptMs: number;
};

export type Work = { stop(): Promise<void> };

/** Runs the dispatcher's work until stopped: events, deliveries, and the timed scans. */
export function startWork(options: WorkOptions): Work {
  const { connection, metrics, sender } = options;
  const { db, log, now, secrets } = options.context;

  // Opening a sealed secret costs a tenth of an attempt.
  const keyOf = remembered((stored: string) => signingKey(secrets.open(stored)));
  const circuit = circuitPolicy(options.retrySchedule);
  const worker = startDeliveryWorker({
    db,
    sender,
    log,
    policy: { schedule: options.retrySchedule, now, random: Math.random, keyOf },
    judge: (health, attempt) => healthAfter(health, attempt, now(), circuit),
    onAttempt: metrics.attempted,
    attemptMs: options.attemptMs,
    concurrency: options.concurrency,
    perEndpoint: options.concurrencyPerEndpoint,
  });
  const wakeUp = startWakeUp({
    connection,
    log,
    onDeliveries: worker.wake,
    onEvent: metrics.events.heard,
  });
  const scans = startScans(options);
  metrics.watchWorker(worker);

  return {
    stop: async () => {
      wakeUp.stop();
      await Promise.all([worker.stop(), scans.stop()]);
    },
  };
}

/**
 * @returns the circuit's policy: an endpoint rests as long as the first retry waits, doubling up to twelve times that
 */
function circuitPolicy([firstRetrySeconds = 5]: readonly number[]): CircuitPolicy {
  return { failuresToOpen: 10, openSeconds: firstRetrySeconds, maxOpenSeconds: firstRetrySeconds * 12 };
}
