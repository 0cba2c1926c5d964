import { type Run, runAttack } from '../run.ts';
import type { Report } from '../verdict/report.ts';
import { type Sample, takeSample } from './sample.ts';
import { type Trend, verdict } from './verdict.ts';

export type Soak = { report: Report; samples: Sample[]; trends: Trend[] };

const samplesInAll = 60;
const leastSeconds = 5;

/** Runs a steady load without faults, and samples it. Then it compares what must stay flat, and judges all promises. */
export async function runSoak(run: Run, tell: (line: string) => void): Promise<Soak> {
  const samples: Sample[] = [];
  const everyMs = Math.max(leastSeconds, run.seconds / samplesInAll) * 1_000;
  const report = await runAttack(
    {
      ...run,
      logLevel: 'warn',
      alongside: ({ system, world }) => {
        const from = Date.now();
        let since = from;
        const sampling = setInterval(async () => {
          const sample = await takeSample(system, world.observations, { from, since }).catch(() => undefined);
          since = Date.now();
          if (sample) samples.push(sample);
        }, everyMs);
        return () => clearInterval(sampling);
      },
    },
    tell,
  );
  return { report, samples, trends: verdict(samples) };
}

/** @returns the trends, as lines for a terminal */
export function trendLines(trends: readonly Trend[]): string[] {
  return trends.map(({ what, unit, begin, end, holds }) => {
    const shown = `${String(begin).padStart(9)} → ${String(end).padStart(9)}`;
    return `${holds ? '✓' : '✗'} ${what.padEnd(36)} ${shown} ${unit}`;
  });
}
