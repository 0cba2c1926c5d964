import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import type { Observations } from '../observations.ts';
import type { AttackedSystem } from '../system/system.ts';

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

/** The bytes of a table and its indexes, and its number of rows. */
type Table = { rows: number; bytes: number; indexBytes: number };

/** @returns every table of the service, by name */
async function tablesOf(url: string): Promise<Record<string, Table>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
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
  } finally {
    await client.end();
  }
}
