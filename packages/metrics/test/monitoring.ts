import { readFileSync } from 'node:fs';
import { eventually, patienceMs } from '@payments/testing/patience';
import { parse } from 'yaml';
import { evaluate, type Point } from './promql/evaluate.ts';
import { readSamples, type Sample, type Scrape } from './promql/samples.ts';

const folder = new URL('../../../deploy/monitoring/', import.meta.url);

export type Rule = {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
};

/** The alert rules, as they are deployed. */
export const rules: Rule[] = parse(readFileSync(new URL('alerts.yaml', folder), 'utf8')).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
);

const ofSpeed = ['PaymentsCreationSlow', 'PaymentsEventLoopBlocked', 'PaymentsPoolExhausted'];

export type Target = { job: 'payments-api' | 'payments-dispatcher'; url: string };

/** Prometheus' part: it scrapes targets, and keeps the scrapes. */
export type Monitoring = {
  scrape(): Promise<Sample[]>;
  /** Scrapes until both services have read the database: on a busy machine its figures may be missing from a scrape. */
  scrapeWhole(): Promise<Sample[]>;
  /** The points that a rule's expression selects, after another scrape. */
  firing(alert: string): Promise<Point[]>;
  /** The names of all alerts whose condition holds after a whole scrape, but for those of a slow machine: a test's may be one. */
  allFiring(): Promise<string[]>;
};

export function monitor(targets: readonly Target[]): Monitoring {
  const scrapes: Scrape[] = [];
  const scrape = async () => {
    const samples = (await Promise.all(targets.map(scrapeTarget))).flat();
    scrapes.push({ at: Date.now() / 1_000, samples });
    return samples;
  };
  const scrapeWhole = () =>
    eventually('every service to read the database', async () => {
      const samples = await scrape();
      const up = samples.filter(({ name, value }) => name === 'payments_database_up' && value === 1);
      return up.length === targets.length ? samples : undefined;
    });
  const holds = ({ expr, annotations }: Rule) => {
    const points = evaluate(expr, scrapes);
    for (const point of points) for (const text of Object.values(annotations)) rendered(text, point);
    return points;
  };
  return {
    scrape,
    scrapeWhole,
    firing: async (alert) => {
      const rule = rules.find((one) => one.alert === alert);
      if (!rule) throw new Error(`no rule ${alert}`);
      await scrape();
      return holds(rule);
    },
    allFiring: async () => {
      await scrapeWhole();
      const firing = rules.filter((rule) => holds(rule).length > 0).map((rule) => rule.alert);
      return firing.filter((alert) => !ofSpeed.includes(alert));
    },
  };
}

const optional = /\{\{ with \$labels\.(\w+) \}\}(.*?)\{\{ end \}\}/g;

/**
 * Writes an annotation for a series that makes its alert fire, as Prometheus does.
 * @throws Error for an empty label or value, outside of a `with`
 */
export function rendered(annotation: string, point: Point): string {
  const shown = annotation.replace(optional, (_, name, text) =>
    point.labels[name] ? text.replaceAll('{{ . }}', point.labels[name]) : '',
  );
  return shown.replace(/\{\{ (.*?) \}\}/g, (_, action) => written(action, point));
}

function written(action: string, { labels, value }: Point): string {
  const [, name] = /^\$labels\.(\w+)$/.exec(action) ?? [];
  const is = name === undefined ? value : labels[name];
  if (name === undefined && !/^\$value( \| humanize(Duration|Percentage)?)?$/.test(action))
    throw new Error(`can't write ${action}`);
  if (is === undefined || is === '' || Number.isNaN(is)) throw new Error(`${action} is empty`);
  return String(is);
}

async function scrapeTarget({ job, url }: Target): Promise<Sample[]> {
  const target = { job, instance: new URL(url).host };
  const up = (value: number): Sample => ({ name: 'up', labels: target, value });
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(patienceMs) });
    if (answer.status !== 200) return [up(0)];
    return [up(1), ...readSamples(await answer.text(), target)];
  } catch {
    return [up(0)];
  }
}
