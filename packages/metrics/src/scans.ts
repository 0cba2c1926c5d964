import { Counter } from 'prom-client';
import type { Registry } from './registry.ts';

/** A timed scan; `bank` is empty for one that concerns all banks. */
type ScanRun = { scan: string; bank: string };

/** Counts the turns of the timed scans, and the Pix that only they found. */
export function scanMetrics(register: Registry) {
  const runs = new Counter({
    name: 'payments_scan_runs_total',
    help: 'Turns of the timed scans, by scan, bank and outcome (done, failed)',
    labelNames: ['scan', 'bank', 'outcome'],
    registers: [register],
  });
  const missed = new Counter({
    name: 'payments_pix_missed_total',
    help: 'Pix found at the PSP that no callback had reported, by bank',
    labelNames: ['bank'],
    registers: [register],
  });
  return {
    ran: (run: ScanRun, outcome: 'done' | 'failed') => {
      // With a series at 0, the first failure counts as an increase.
      runs.inc({ ...run, outcome: 'failed' }, outcome === 'failed' ? 1 : 0);
      runs.inc({ ...run, outcome: 'done' }, outcome === 'done' ? 1 : 0);
    },
    /** Counts Pix that the PSP lists and that no callback reported. */
    missedPix: (bank: string, count: number) => missed.inc({ bank }, count),
  };
}
