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

const recipients = ['people', 'webhook'] as const;
const results = ['sent', 'failed', 'retry', 'dropped'] as const;

export type MailTry = { to: (typeof recipients)[number]; result: (typeof results)[number] };

/** Counts the tries to send mails to people, and posts to the platform's webhook, by how they ended. */
export function mailMetrics(register: Registry): (tried: MailTry) => void {
  const tries = new Counter({
    name: 'payments_mail_tries_total',
    help:
      'Tries to send a mail to people, or a post to the platform’s webhook (to), by result: sent, failed for good, ' +
      'retry, or dropped, since all of it was settled before',
    labelNames: ['to', 'result'],
    registers: [register],
  });
  // With a series at 0, the first failure counts as an increase.
  for (const to of recipients) for (const result of results) tries.inc({ to, result }, 0);
  return (tried) => tries.inc(tried);
}
