import { readdirSync, readFileSync } from 'node:fs';
import type { Observations } from '../observations.ts';
import type { AttackedSystem } from '../system/system.ts';
import { type Table, tablesOf } from './tables.ts';

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

export async function takeSample(
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
