import { readdirSync, readFileSync } from 'node:fs';
import { inSession } from '@payments/testing/sessions';
import type { Observations } from '../observations.ts';
import { type Run, runAttack } from '../run.ts';
import type { AttackedSystem } from '../system/system.ts';
import type { Report } from '../verdict/report.ts';

type Soak = { report: Report; samples: Sample[]; trends: Trend[] };

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

/** One sample of everything that may grow. */
export type Sample = {
  /** Seconds since the start. */
  second: number;
  /** By process. */
  processes: Record<string, { rssMb: number; handles: number }>;
  tables: Record<string, Table>;
  /** Milliseconds, of the requests since the previous sample. */
  latency: { count: number; p50: number; p95: number; p99: number };
};

async function takeSample(
  { apis, dispatchers, backing }: AttackedSystem,
  observations: Observations,
  { from, since }: { from: number; since: number },
): Promise<Sample> {
  const processes = [...apis, ...dispatchers].map((replica) => [replica.name, processOf(replica.pid())]);
  const recent = observations.latencies.filter(({ at, what }) => at >= since && timed.includes(what));
  const sorted = recent.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const percentile = (share: number) =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 10) / 10;
  return {
    second: Math.round((Date.now() - from) / 1_000),
    processes: Object.fromEntries(processes),
    tables: await tablesOf(backing.databaseUrls[0]),
    latency: { count: sorted.length, p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) },
  };
}

const timed = ['create', 'read', 'list'];

/** From Linux; open handles are file descriptors: sockets, pipes and files. */
function processOf(pid: number): { rssMb: number; handles: number } {
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  return { rssMb: Math.round(kilobytes / 1_024), handles: readdirSync(`/proc/${pid}/fd`).length };
}

/** The bytes of a table and its indexes, and its number of rows. */
type Table = { rows: number; bytes: number; indexBytes: number };

/** @returns every table of the service, by name */
function tablesOf(url: string): Promise<Record<string, Table>> {
  return inSession(url, async (client) => {
    const { rows } = await client.query<{ name: string; bytes: string; index_bytes: string }>(
      `select relname as name, pg_table_size(relid) as bytes, pg_indexes_size(relid) as index_bytes
      from pg_stat_user_tables where relname not like 'kysely%' order by relname`,
    );
    const tables: Record<string, Table> = {};
    for (const { name, bytes, index_bytes } of rows) {
      const counted = await client.query<{ rows: number }>(`select count(*)::int as rows from ${name}`);
      tables[name] = { rows: counted.rows[0]!.rows, bytes: Number(bytes), indexBytes: Number(index_bytes) };
    }
    return tables;
  });
}

/** A quantity at the start (once warm) and at the end, and whether it is as it should be. */
type Trend = { what: string; unit: string; begin: number; end: number; holds: boolean };

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
