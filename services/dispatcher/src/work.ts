import type { EventsConnection } from '@payments/events/connection';
import { consumeEvents } from '@payments/events/consume';
import type { BreakerPolicy } from '@payments/webhooks/breaker';
import type { Sender } from '@payments/webhooks/sender';
import { startDeliveryWorker } from './deliveries/worker.ts';
import { type ScansOptions, startScans } from './scans/start-scans.ts';

export type WorkOptions = ScansOptions & {
  connection: EventsConnection;
  sender: Sender;
  retrySchedule: readonly number[];
  concurrency: number;
  concurrencyPerEndpoint: number;
};

export type Work = { stop(): Promise<void> };

/** Runs all that the dispatcher does, until stopped: events in, webhooks out, and the timed scans. */
export function startWork(options: WorkOptions): Work {
  const { connection, metrics, sender } = options;
  const { db, log, now } = options.context;

  const worker = startDeliveryWorker({
    db,
    sender,
    log,
    policy: {
      schedule: options.retrySchedule,
      breaker: breakerOf(options.retrySchedule, 10),
      now,
      random: Math.random,
    },
    // Many endpoints may share a host, so it takes more to judge it.
    hostBreaker: breakerOf(options.retrySchedule, 20),
    onAttempt: metrics.attempted,
    concurrency: options.concurrency,
    concurrencyPerEndpoint: options.concurrencyPerEndpoint,
  });
  const consumption = consumeEvents({
    connection,
    log,
    take: worker.takeReserved,
    onConsumed: metrics.events.consumed,
  });
  const scans = startScans(options);
  metrics.watchWorker(worker);

  return {
    stop: async () => {
      // What is being taken is attempted by the worker.
      const deliveries = consumption.stop().then(worker.stop);
      await Promise.all([deliveries, ...scans.map((scan) => scan.stop())]);
    },
  };
}

/** A receiver is left alone for as long as a first retry waits, doubling up to twelve times that. */
function breakerOf([firstRetrySeconds = 5]: readonly number[], failuresToOpen: number): BreakerPolicy {
  const openSeconds = firstRetrySeconds;
  return { failuresToOpen, openSeconds, maxOpenSeconds: openSeconds * 12, probeSeconds: 60 };
}
