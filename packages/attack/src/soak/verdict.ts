import type { Sample } from './sample.ts';

/** A quantity at the start (once warm) and at the end, and whether it is as it should be. */
export type Trend = { what: string; unit: string; begin: number; end: number; holds: boolean };

// From then on the processes are warm, and the tables have more than a few pages.
const warmAfter = 0.2;
const window = 0.2;
const noise = { rssMb: 1.25, handles: 1.25, bytesPerRow: 1.3, latency: 1.5 };
const spare = { rssMb: 30, handles: 10, bytesPerRow: 100, latency: 10 };
const rowsWorthJudging = 500;

/**
 * Compares the first part of a soak, after warming up, with the last. Memory and handles must stay flat. Tables and
 * indexes may grow with their rows. Latency must stay within noise.
 */
export function verdict(samples: readonly Sample[]): Trend[] {
  const part = (from: number) =>
    samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * (from + window)));
  const [begin, end] = [part(warmAfter), part(1 - window)];
  const trend = (what: string, unit: keyof typeof noise, of: (sample: Sample) => number): Trend => {
    const [first, last] = [median(begin.map(of)), median(end.map(of))];
    return { what, unit, begin: first, end: last, holds: last <= first * noise[unit] + spare[unit] };
  };
  const processes = Object.keys(samples[0]?.processes ?? {});
  const tables = Object.entries(begin.at(-1)?.tables ?? {}).filter(
    ([, { rows }]) => rows >= rowsWorthJudging,
  );
  return [
    ...processes.map((name) =>
      trend(`memory of ${name}`, 'rssMb', ({ processes }) => processes[name]!.rssMb),
    ),
    ...processes.map((name) =>
      trend(`open handles of ${name}`, 'handles', ({ processes }) => processes[name]!.handles),
    ),
    ...tables.map(([name]) =>
      trend(`${name} and its indexes`, 'bytesPerRow', ({ tables }) => {
        const { rows, bytes, indexBytes } = tables[name]!;
        return Math.round((bytes + indexBytes) / Math.max(1, rows));
      }),
    ),
    trend('latency, p50', 'latency', ({ latency }) => latency.p50),
    trend('latency, p95', 'latency', ({ latency }) => latency.p95),
  ];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
