import { enterEvents } from '@payments/database/ledger';
import { outboxOf } from '@payments/database/outbox';
import type { EventsConnection } from '@payments/events/connection';
import { consumeEvents } from '@payments/events/consume';
import { startPublishing } from '@payments/events/publishing';
import { type Loop, startLoop } from '@payments/runtime/loop';
import type { SettlementContext } from '@payments/settlement/context';
import type { BreakerPolicy } from '@payments/webhooks/breaker';
import type { Sender } from '@payments/webhooks/sender';
import { startDeliveryWorker } from './deliveries/worker.ts';
import type { DispatcherMetrics, ScanName } from './health/metrics.ts';
import { reconcileLedger } from './ledger/reconcile-ledger.ts';
import { expireCharges } from './scans/expire-charges.ts';
import { findMissedPix } from './scans/find-missed-pix.ts';
import { followCharges } from './scans/follow-charges.ts';
import { makeRefunds } from './scans/make-refunds.ts';
import { forgetKeys, removeOld } from './scans/remove-old.ts';
import type { Scan } from './scans/scan.ts';
import { timeOutReviews } from './scans/time-out-reviews.ts';

export type WorkOptions = {
  context: SettlementContext;
  connection: EventsConnection;
  metrics: DispatcherMetrics;
  sender: Sender;
  retrySchedule: readonly number[];
  scanIntervalMs: number;
  reviewTimeoutSeconds: number;
  retentionDays: number;
  concurrency: number;
  concurrencyPerEndpoint: number;
};

export type Work = { stop(): Promise<void> };

// Events that the release before committed: JetStream has one in the ledger within milliseconds; what is older than this
// slipped through.
const ledgerGapMs = 15_000;

/** Runs all that the dispatcher does, until stopped: events in, webhooks out, and the timed scans. */
export function startWork(options: WorkOptions): Work {
  const { context, connection, metrics, sender, scanIntervalMs } = options;
  const { db, log, now } = context;

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
    take: async (eventIds) => {
      const missing = await worker.takeReserved(eventIds);
      if ((await enterEvents(db, missing)) > 0) worker.wake();
    },
    onConsumed: metrics.events.consumed,
  });
  const publishing = startPublishing({
    connection,
    outbox: outboxOf(db),
    onPublished: metrics.events.published,
    log,
  });
  const scanLoop = (name: ScanName, scan: Scan): Loop =>
    startLoop({
      intervalMs: scanIntervalMs,
      turn: async () => {
        const more = await scan(context);
        metrics.scans.ran(name, 'done');
        return more;
      },
      onError: (error) => {
        metrics.scans.ran(name, 'failed');
        log.warn({ err: error, scan: name }, 'a scan failed; trying again');
      },
    });
  const refunds = scanLoop('refunds', makeRefunds());
  const timeOut = timeOutReviews(options.reviewTimeoutSeconds, refunds.wake);
  const scans = [
    refunds,
    scanLoop('charges', followCharges),
    scanLoop('expiry', expireCharges),
    scanLoop('reviews', timeOut),
    scanLoop('missed-pix', findMissedPix(metrics.scans.missedPix)),
    scanLoop('ledger', () => reconcileLedger({ db, log }, new Date(now().getTime() - ledgerGapMs))),
    scanLoop('idempotency-keys', forgetKeys),
    scanLoop('retention', removeOld(options.retentionDays)),
  ];
  metrics.watchWorker(worker);

  return {
    stop: async () => {
      // What is being entered is attempted by the worker.
      const deliveries = consumption.stop().then(worker.stop);
      await Promise.all([deliveries, ...scans.map((scan) => scan.stop())]);
      await publishing.stop();
    },
  };
}

/** A receiver is left alone for as long as a first retry waits, doubling up to twelve times that. */
function breakerOf([firstRetrySeconds = 5]: readonly number[], failuresToOpen: number): BreakerPolicy {
  const openSeconds = firstRetrySeconds;
  return { failuresToOpen, openSeconds, maxOpenSeconds: openSeconds * 12, probeSeconds: 60 };
}
