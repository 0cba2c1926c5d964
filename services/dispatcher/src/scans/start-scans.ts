import { setTimeout as delay } from 'node:timers/promises';
import { forgetFailures } from '@payments/database/accounts/sign-in-attempts';
import { forgetIdempotencyKeys } from '@payments/database/payments/idempotency-keys';
import { finishRepeated } from '@payments/database/record/repeated-changes';
import { foldTotals } from '@payments/database/totals/rows';
import type { EventsConnection } from '@payments/jetstream/connection';
import { type Loop, startLoop } from '@payments/runtime/loop';
import { removeUnheard } from '@payments/settlement/charges/remove-unheard';
import { settleSetAside } from '@payments/settlement/charges/settle-set-aside';
import { atBankOf } from '@payments/settlement/context';
import type { ServiceContext } from '@payments/startup/foundation';
import type { DispatcherMetrics } from '../health.ts';
import type { DispatcherSettings } from '../settings.ts';
import {
  checkDays,
  expireCharges,
  expireUnregistered,
  findMissedPix,
  findReturnedPix,
  registerCharges,
  withdrawCharges,
} from './bank-scans.ts';
import { makeRefunds, orderRefundsAgain, timeOutReviews } from './refunds.ts';
import { erasePersonalData, eraseTests, finishOpenErasures, removeOld, sweepNotices } from './retention.ts';
import { type BankScan, byOneReplica, chargeScan, inBatches, type Scan, startPerBank } from './scan.ts';

export type ScansOptions = {
  context: ServiceContext;
  metrics: DispatcherMetrics;
  settings: DispatcherSettings;
  connection: EventsConnection;
};

// Floor: ready within a second. Scans that begin together stay together, and each needs a connection of its own: a start
// on slow cores waited for ten. So they begin one after another, all within the first second.
const apartMs = 50;

// A turn may take minutes at a slow bank. It is then left unfinished, as by a kill, and a later turn does the rest.
const stoppingMs = 5_000;

/**
 * Starts all timed scans. A failed one is logged and repeated, and does not stop the others. None runs while this
 * machine's clock and PostgreSQL's differ: one of them would make everything due too early. Stopping waits some seconds at
 * most for the turns that run.
 */
export function startScans(options: ScansOptions): Pick<Loop, 'stop'> {
  const { context, metrics, settings } = options;
  const scanIntervalMs = settings.SCAN_INTERVAL_SECONDS * 1_000;
  let begun = 0;
  const run = (scan: string, bank: string, turn: () => Promise<boolean>): Loop => {
    const firstInMs = (begun * apartMs) % 1_000;
    begun += 1;
    return startLoop({
      firstInMs,
      intervalMs: scanIntervalMs,
      turn: async () => {
        if (!context.isClockBelieved()) return false;
        const more = await turn();
        metrics.scans.ran({ scan, bank }, 'done');
        return more;
      },
      onError: (error) => {
        metrics.scans.ran({ scan, bank }, 'failed');
        context.log.warn({ err: error, scan, bank: bank || undefined }, 'a scan failed; trying again');
      },
    });
  };
  const start = (name: string, scan: Scan) => run(name, '', () => scan(context));
  const perBank = startPerBank(context.banks, (bank) => {
    const atBank = (name: string, scan: BankScan) => run(name, bank, () => scan(atBankOf(context, bank)));
    const once = (name: string, scan: BankScan) => atBank(name, byOneReplica(name, scanIntervalMs, scan));
    // With a series at 0, the first Pix found counts as an increase.
    metrics.scans.missedPix(bank, 0);
    return [
      atBank('refunds', makeRefunds()),
      atBank('charges', registerCharges()),
      atBank('cancellations', withdrawCharges()),
      atBank('unheard-charges', chargeScan(removeUnheard)),
      atBank('expiry', expireCharges),
      once('missed-pix', findMissedPix(metrics.scans.missedPix)),
      once('returned-pix', findReturnedPix),
      atBank('set-aside', chargeScan(settleSetAside)),
      once('reconciliation', checkDays),
    ];
  });
  const ofAll = [
    start('refused-refunds', orderRefundsAgain),
    start('unregistered', expireUnregistered),
    start('reviews', timeOutReviews(settings.REVIEW_TIMEOUT_SECONDS)),
    start(
      'totals',
      inBatches(10_000, ({ db }, limit) => foldTotals(db, limit)),
    ),
    start(
      'idempotency-keys',
      inBatches(1_000, ({ db, now }, limit) => forgetIdempotencyKeys(db, now(), limit)),
    ),
    start(
      'repeated-changes',
      inBatches(100, ({ db, now }, limit) => finishRepeated(db, { now: now(), limit })),
    ),
    start(
      'sign-in-failures',
      inBatches(1_000, ({ db, now }, limit) => forgetFailures(db, { now: now(), limit })),
    ),
    start('retention', removeOld(settings.RETENTION_DAYS)),
    start('notices-retention', sweepNotices(settings.RETENTION_DAYS)),
    start('erasures', finishOpenErasures(options.connection)),
    start('personal-data', erasePersonalData(settings.PERSONAL_DATA_DAYS)),
    start('test-data', eraseTests(settings.TEST_DATA_DAYS)),
  ];
  const finish = async () => {
    await Promise.all([perBank.stop(), ...ofAll.map((scan) => scan.stop())]);
  };
  return { stop: () => Promise.race([finish(), delay(stoppingMs, undefined, { ref: false })]) };
}
