import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Window } from '../faults/fault.ts';
import type { Breach, Failure, Observations } from '../observations.ts';
import type { AttackOptions } from '../options.ts';
import { promises } from '../promises/all.ts';
import type { Evidence, RefundShown } from './evidence.ts';

/** What a run came to: enough to repeat it, and to believe it. */
export type Report = {
  seed: number;
  command: string;
  seconds: number;
  startedAt: string;
  figures: Record<string, number>;
  faults: Record<string, number>;
  answers: Record<string, number>;
  promises: { promise: string; breaches: number }[];
  breaches: Breach[];
  /** The whole history of the payment that shows it best. */
  story: string[];
  schedule: Window[];
  /** Requests that clients had no good answer to. */
  failures: Failure[];
  /** What the services themselves logged as a defect. */
  defects: string[];
};

export type Ended = {
  observations: Observations;
  evidence: Evidence;
  windows: readonly Window[];
  breaches: readonly Breach[];
  story: string[];
  logs: readonly string[];
  /** From the end of the last fault until all had caught up. */
  recoveryMs: number;
  startedAt: number;
};

// Of each promise.
const breachesKept = 100;
const failuresKept = 2_000;
const defectsKept = 50;

export function reportOf(options: AttackOptions, ended: Ended): Report {
  const { seed, seconds, rate, faults } = options;
  const { observations, windows, breaches } = ended;
  return {
    seed,
    command: `npm run chaos -- --seed ${seed} --seconds ${seconds} --rate ${rate} --faults ${faults.join(',') || 'none'}`,
    seconds,
    startedAt: new Date(ended.startedAt).toISOString(),
    figures: figuresOf(ended),
    faults: Object.fromEntries(
      [...Map.groupBy(windows.filter(isFault), ({ fault }) => fault)].map(([fault, all]) => [
        fault,
        all.length,
      ]),
    ),
    answers: Object.fromEntries([...observations.counts].toSorted()),
    promises: promises.map((promise, index) => ({
      promise: `${index + 1}. ${promise}`,
      breaches: breaches.filter((breach) => breach.promise === index + 1).length,
    })),
    breaches: [...Map.groupBy(breaches, ({ promise }) => promise).values()].flatMap((some) =>
      some.slice(0, breachesKept),
    ),
    story: ended.story,
    schedule: [...windows],
    failures: observations.failures.slice(0, failuresKept),
    defects: ended.logs.filter(isDefect).slice(0, defectsKept),
  };
}

/** A request that failed for another reason than that something was away: its line holds the error. */
function isDefect(line: string): boolean {
  return line.includes('"request failed"') && !/DatabaseUnavailable|PixUnavailable|ApiError/.test(line);
}

const isMed = ({ state, origin }: RefundShown) => state === 'refunded' && origin === 'bank';

function figuresOf({ observations, evidence, windows, recoveryMs }: Ended): Record<string, number> {
  const deliveries = evidence.payments.flatMap(({ detail }) => detail.deliveries);
  const distinct = new Set(observations.visits.map(({ deliveryId }) => deliveryId)).size;
  const refunds = evidence.payments.flatMap(({ detail }) => detail.refunds);
  return {
    payments: observations.payments.size,
    'requests answered': observations.answered,
    'requests not answered, or 5xx': observations.failures.length,
    'Pix received': evidence.payments.flatMap(({ detail }) => detail.pix).length,
    refunds: refunds.filter(({ state }) => state === 'refunded').length,
    'of them made by the bank itself': refunds.filter(isMed).length,
    'refunds refused': refunds.filter(({ state }) => state === 'failed').length,
    'refunds owed in the end': refunds.filter(({ owedAmount }) => owedAmount !== null).length,
    'status changes':
      evidence.payments.flatMap(({ detail }) => detail.events).length - evidence.payments.length,
    deliveries: deliveries.length,
    'deliveries dead': deliveries.filter(({ state }) => state === 'dead').length,
    'webhooks received': observations.visits.length,
    'webhooks repeated': observations.visits.length - distinct,
    faults: windows.filter(isFault).length,
    'seconds in which the machine was starved': Math.round(starvedMs(windows) / 1_000),
    'recovery after the last fault, s': Math.round(recoveryMs / 100) / 10,
  };
}

const isFault = ({ kind }: Window) => kind !== 'machine';

const starvedMs = (windows: readonly Window[]) =>
  windows.filter((window) => !isFault(window)).reduce((total, { from, to }) => total + to - from, 0);

export function writeReport(file: string, report: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
}

/** @returns the summary, as lines for a terminal */
export function summaryOf(report: Report): string[] {
  const { figures, faults, promises, breaches, story, defects } = report;
  const shown = breaches
    .slice(0, 12)
    .map(({ promise, says, paymentId }) => `  ✗ ${promise}: ${paymentId ?? ''} ${says}`);
  return [
    '',
    ...Object.entries(figures).map(([what, number]) => `${String(number).padStart(8)}  ${what}`),
    `faults: ${
      Object.entries(faults)
        .map(([fault, times]) => `${fault} ${times}`)
        .join(', ') || 'none'
    }`,
    '',
    ...promises.map(
      ({ promise, breaches: broken }) =>
        `${broken === 0 ? '✓' : '✗'} ${promise}${broken === 0 ? '' : `: broken ${broken} times`}`,
    ),
    ...(breaches.length > 0 ? ['', ...shown] : []),
    ...(breaches.length > 0 ? defects.slice(0, 3).map((line) => `  ${line}`) : []),
    ...(story.length > 0 ? ['', 'The smallest story:', ...story.map((line) => `  ${line}`)] : []),
    '',
    `repeat: ${report.command}`,
  ];
}
