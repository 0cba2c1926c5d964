import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Window } from '../faults/fault.ts';
import type { Breach, Failure, Observations } from '../observations.ts';
import type { AttackOptions } from '../options.ts';
import { promises } from '../promises/all.ts';
import { toTell } from '../promises/told-people.ts';
import type { Evidence } from './evidence.ts';

/** The result of a run, with what is needed to repeat and believe it. */
export type Report = {
  command: string;
  startedAt: string;
  figures: Record<string, number>;
  /** How often each fault happened, and the number of each status and kind of payment. */
  faults: Record<string, number>;
  counts: Record<string, number>;
  promises: { promise: string; breaches: number }[];
  breaches: Breach[];
  /** The whole history of the payment that shows a breach best. */
  story: string[];
  schedule: Window[];
  /** Client requests without a good response. */
  failures: Failure[];
  /** Log lines of the services that show a defect. */
  defects: string[];
};

export type Ended = {
  observations: Observations;
  evidence: Evidence;
  windows: readonly Window[];
  breaches: readonly Breach[];
  story: string[];
  logs: readonly string[];
  /** From the end of the last fault until everything had caught up. */
  recoveryMs: number;
  startedAt: number;
};

const failuresKept = 2_000;
const defectsKept = 50;

export function reportOf({ seed, seconds, rate, faults, cluster }: AttackOptions, ended: Ended): Report {
  const { observations, windows, breaches, story, logs } = ended;
  const names = windows.filter(isFault).map(({ fault }) => fault);
  return {
    command: `npm run chaos -- ${cluster ? '--cluster ' : ''}--seed ${seed} --seconds ${seconds} --rate ${rate} --faults ${faults.join(',') || 'none'}`,
    startedAt: new Date(ended.startedAt).toISOString(),
    figures: figuresOf(ended),
    faults: Object.fromEntries([...Map.groupBy(names, String)].map(([fault, all]) => [fault, all.length])),
    counts: Object.fromEntries([...observations.counts].toSorted()),
    promises: promises.map((promise, index) => ({
      promise: `${index + 1}. ${promise}`,
      breaches: breaches.filter((breach) => breach.promise === index + 1).length,
    })),
    breaches: [...breaches],
    story,
    schedule: [...windows],
    failures: observations.failures.slice(0, failuresKept),
    defects: logs.filter(isDefect).slice(0, defectsKept),
  };
}

const isFault = ({ kind }: Window) => kind !== 'machine';

/** True if a request failed for another reason than a server that is down: its line holds the error. */
function isDefect(line: string): boolean {
  return line.includes('"request failed"') && !/DatabaseUnavailable|PixUnavailable|ApiError/.test(line);
}

function figuresOf({ observations, evidence, windows, recoveryMs }: Ended): Record<string, number> {
  const { payments, visits, answered, failures } = observations;
  const details = evidence.payments.map(({ detail }) => detail);
  const refunds = details.flatMap((detail) => detail.refunds);
  const made = refunds.filter(({ state }) => state === 'refunded');
  const deliveries = details.flatMap((detail) => detail.deliveries);
  const facts = toTell(evidence, windows);
  const starved = windows.filter((window) => !isFault(window)).map(({ from, to }) => to - from);
  return {
    payments: payments.size,
    'requests answered': answered,
    'requests not answered, or 5xx': failures.length,
    'Pix received': details.flatMap(({ pix }) => pix).length,
    'status changes': details.flatMap(({ events }) => events).length - details.length,
    refunds: made.length,
    'refunds that the bank made by itself': made.filter(({ origin }) => origin === 'bank').length,
    'refunds refused': refunds.filter(({ state }) => state === 'failed').length,
    'refunds owed in the end': refunds.filter(({ owedAmount }) => owedAmount !== null).length,
    'charges that two banks knew': evidence.payments.filter(({ leftovers }) => leftovers.length > 0).length,
    deliveries: deliveries.length,
    'deliveries dead': deliveries.filter(({ state }) => state === 'dead').length,
    'webhooks received': visits.length,
    'webhooks repeated': visits.length - new Set(visits.map(({ deliveryId }) => deliveryId)).size,
    'reviews, debts and returns to tell people': facts.length,
    'reviews among them, which waited in calm': facts.filter(({ kind }) => kind === 'review_waiting').length,
    'mails and posts to people': observations.mails.length,
    'mails and posts repeated':
      observations.mails.length - new Set(observations.mails.map(({ id }) => id)).size,
    faults: windows.filter(isFault).length,
    'seconds in which the machine was starved': Math.round(starved.reduce((sum, ms) => sum + ms, 0) / 1_000),
    'recovery after the last fault, s': Math.round(recoveryMs / 100) / 10,
    ...failoverFigures(observations, windows),
  };
}

export function writeReport(file: string, report: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
}

/** @returns the summary, as lines for a terminal */
export function summaryOf({
  command,
  figures,
  faults,
  promises,
  breaches,
  story,
  defects,
}: Report): string[] {
  const shown = breaches
    .slice(0, 12)
    .map(({ promise, says, paymentId = '' }) => `${promise}: ${paymentId} ${says}`);
  const happened = Object.entries(faults).map(([fault, times]) => `${fault} ${times}`);
  return [
    '',
    ...Object.entries(figures).map(([what, number]) => `${String(number).padStart(8)}  ${what}`),
    `faults: ${happened.join(', ') || 'none'}`,
    '',
    ...promises.map(({ promise, breaches: broken }) =>
      broken === 0 ? `✓ ${promise}` : `✗ ${promise}: broken ${broken} times`,
    ),
    ...shown.map((line) => `  ✗ ${line}`),
    ...(breaches.length > 0 ? defects.slice(0, 3) : []),
    ...(story.length > 0 ? ['', 'The smallest story:', ...story] : []),
    '',
    `repeat: ${command}`,
  ];
}

/**
 * @returns how many failovers there were, and the longest time from a promotion to the next created payment. A
 * promotion after the last request for one has no such time
 */
export function failoverFigures(
  { latencies, failures }: Pick<Observations, 'latencies' | 'failures'>,
  windows: readonly Window[],
): Record<string, number> {
  const promotions = windows.filter(({ fault }) => fault.startsWith('primary-')).map(({ to }) => to);
  if (promotions.length === 0) return {};
  const created = latencies.filter(({ what }) => what === 'create');
  const refused = failures.filter(({ what }) => what === 'create');
  const lastAskedAt = Math.max(...created.map(({ at }) => at), ...refused.map(({ from }) => from));
  const waits = promotions
    .filter((promotedAt) => promotedAt <= lastAskedAt)
    .map((promotedAt) => {
      const answers = created.filter(({ at }) => at >= promotedAt);
      return Math.min(...answers.map(({ at, ms }) => at + ms)) - promotedAt;
    });
  return {
    failovers: promotions.length,
    'slowest creation after a promotion, s': Math.round(Math.max(0, ...waits) / 100) / 10,
  };
}
