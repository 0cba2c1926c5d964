import type { LoadJob, LoadResult } from './load/job.ts';
import type { Load } from './load/load.ts';
import type { Figure } from './results.ts';
import { interleave } from './rounds.ts';
import type { BenchContext } from './scenario.ts';
import { type Measured, measure, type Side } from './side.ts';

/** Requests of one kind to one side. */
export type Requests = {
  /** In the report; the side's own when absent. */
  name?: string;
  side: Side;
  job: Omit<LoadJob, 'seconds' | 'connections'>;
};

/** What is read off a load, and its unit. */
export type Reading = { what: string; unit: string; of: (result: LoadResult) => number };

export const perSecond = (what: string): Reading => ({
  what,
  unit: '/s',
  of: ({ operations, seconds }) => operations / seconds,
});

export const medianMs = (what: string): Reading => ({
  what,
  unit: 'ms',
  of: ({ latencyMs }) => latencyMs.p50,
});

/**
 * Sends requests to the sides, in turns.
 * @returns a figure for each of them, in their order
 */
export async function compareLoads(
  { options, ground, say }: BenchContext,
  load: Load,
  reading: Reading,
  all: readonly Requests[],
): Promise<Figure[]> {
  const { seconds, connections, rounds } = options;
  const nameOf = ({ name, side }: Requests) => name ?? side.name;
  const turns = all.map((requests) => ({
    name: nameOf(requests),
    run: () =>
      measure(ground, requests.side, async () => {
        const result = await load.run({ ...requests.job, seconds, connections });
        say(`  ${summaryOf(result)}`);
        return { operations: result.operations, value: reading.of(result), cpu: { load: result.cpuSeconds } };
      }),
  }));
  const outcomes = await interleave(turns, rounds, say);
  return all.map(nameOf).map((name) => figureOf(name, reading, outcomes.get(name) ?? []));
}

export function summaryOf({ operations, seconds, latencyMs }: LoadResult): string {
  const { p50, p99 } = latencyMs;
  return `${Math.round(operations / seconds)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
}

/** @returns rounds of one side as a figure */
export function figureOf(
  side: string,
  { what, unit }: Pick<Reading, 'what' | 'unit'>,
  rounds: readonly Measured<{ value: number }>[],
): Figure {
  const names = [...new Set(rounds.flatMap(({ cpu }) => Object.keys(cpu)))];
  return {
    side,
    what,
    unit,
    values: rounds.map(({ outcome }) => outcome.value),
    cpu: Object.fromEntries(names.map((name) => [name, rounds.map(({ cpu }) => cpu[name] ?? 0)])),
    peakMb: rounds.at(-1)?.peakMb ?? {},
  };
}

/** A figure of which nothing but the value is known. */
export function plainFigure(side: string, what: string, unit: string, values: number[]): Figure {
  return { side, what, unit, values, cpu: {}, peakMb: {} };
}
