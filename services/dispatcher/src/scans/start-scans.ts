import { type Loop, startLoop } from '@payments/runtime/loop';
import type { SettlementContext } from '@payments/settlement/context';
import type { DispatcherMetrics, ScanName } from '../health/metrics.ts';
import { expireCharges } from './expire-charges.ts';
import { findMissedPix, findReturnedPix } from './find-missed-pix.ts';
import { foldChanges } from './fold-totals.ts';
import { followCharges } from './follow-charges.ts';
import { makeRefunds } from './make-refunds.ts';
import { forgetKeys, removeOld } from './remove-old.ts';
import type { Scan } from './scan.ts';
import { settleChargesSetAside } from './settle-set-aside.ts';
import { timeOutReviews } from './time-out-reviews.ts';

export type ScansOptions = {
  context: SettlementContext;
  metrics: DispatcherMetrics;
  scanIntervalMs: number;
  reviewTimeoutSeconds: number;
  retentionDays: number;
};

/** @returns all timed scans, running; a failed one is logged and retried, and does not stop the others */
export function startScans(options: ScansOptions): Loop[] {
  const { context, metrics, scanIntervalMs } = options;
  const { log } = context;
  const start = (name: ScanName, scan: Scan): Loop =>
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
  const refunds = start('refunds', makeRefunds());
  return [
    refunds,
    start('charges', followCharges),
    start('expiry', expireCharges),
    start('reviews', timeOutReviews(options.reviewTimeoutSeconds, refunds.wake)),
    start('missed-pix', findMissedPix(metrics.scans.missedPix)),
    start('returned-pix', findReturnedPix),
    start('set-aside', settleChargesSetAside),
    start('totals', foldChanges),
    start('idempotency-keys', forgetKeys),
    start('retention', removeOld(options.retentionDays)),
  ];
}
