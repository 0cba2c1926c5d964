import type { LoadJob } from './load/job.ts';
import type { Load } from './load/load.ts';
import type { Figure } from './results.ts';
import { interleave } from './rounds.ts';
import type { BenchContext } from './scenario.ts';
import { type Measured, measure, type Side } from './side.ts';

export type Rated = { side: Side; job: Omit<LoadJob, 'seconds' | 'connections'> };

/**
 * Measures how many requests a second each side answers, in turns.
 * @returns a figure a side, in their order
 */
export async function compareRates(
  { options, ground, say }: BenchContext,
  load: Load,
  what: string,
  rated: readonly Rated[],
): Promise<Figure[]> {
  const { seconds, connections, rounds } = options;
  const turns = rated.map(({ side, job }) => ({
    name: side.name,
    run: () =>
      measure(ground, side, async () => {
        const result = await load.run({ ...job, seconds, connections });
        const rate = result.operations / result.seconds;
        say(
          `  ${Math.round(rate)}/s, p50 ${result.latencyMs.p50.toFixed(1)} ms, p99 ${result.latencyMs.p99.toFixed(1)} ms`,
        );
        return { operations: result.operations, rate, cpu: { load: result.cpuSeconds } };
      }),
  }));
  const outcomes = await interleave(turns, rounds, say);
  return rated.map(({ side }) =>
    figureOf(side.name, what, '/s', outcomes.get(side.name) ?? [], (one) => one.rate),
  );
}

/** @returns rounds of one side as a figure */
export function figureOf<Outcome>(
  side: string,
  what: string,
  unit: string,
  rounds: readonly Measured<Outcome>[],
  read: (outcome: Outcome) => number,
): Figure {
  const names = [...new Set(rounds.flatMap(({ cpu }) => Object.keys(cpu)))];
  return {
    side,
    what,
    unit,
    values: rounds.map(({ outcome }) => read(outcome)),
    cpu: Object.fromEntries(names.map((name) => [name, rounds.map(({ cpu }) => cpu[name] ?? 0)])),
    peakMb: rounds.at(-1)?.peakMb ?? {},
  };
}
