import { Counter } from 'prom-client';
import type { Registry } from './registry.ts';

export type ScanMetrics = {
  ran(scan: string, outcome: 'done' | 'failed'): void;
  /** Counts Pix that the PSP lists and that no callback reported. */
  missedPix(count: number): void;
};

/** Counts the turns of the timed scans, and the Pix that only they found. */
export function scanMetrics(register: Registry, scans: readonly string[]): ScanMetrics {
  const runs = new Counter({
    name: 'payments_scan_runs_total',
    help: 'Turns of the timed scans, by scan and outcome (done, failed)',
    labelNames: ['scan', 'outcome'],
    registers: [register],
  });
  const missed = new Counter({
    name: 'payments_pix_missed_total',
    help: 'Pix found at the PSP that no callback had reported',
    registers: [register],
  });
  for (const scan of scans) for (const outcome of ['done', 'failed']) runs.inc({ scan, outcome }, 0);
  return {
    ran: (scan, outcome) => runs.inc({ scan, outcome }),
    missedPix: (count) => missed.inc(count),
  };
}
