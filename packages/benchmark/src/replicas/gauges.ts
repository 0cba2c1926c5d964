import { readFileSync } from 'node:fs';
import type { ReplicatedSystem } from '@payments/testing/replicated-system';
import { query } from '../ground.ts';

/** The use of a system so far; CPU in seconds. */
export type Gauges = {
  apiCpu: number;
  dispatcherCpu: number;
  postgresCpu: number;
  transactions: number;
  /** Calls of the dispatchers that read a bank's lists. */
  bankLists: number;
  connections: number;
};

/** Reads all of it. Linux only, with PostgreSQL on this machine. */
export async function readGauges({ replicas, databaseUrl }: ReplicatedSystem): Promise<Gauges> {
  const cpuOf = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const sessions = await query<{ pid: number }>(
    databaseUrl,
    'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    [],
  );
  const [counted] = await query<{ transactions: number }>(
    databaseUrl,
    `select (xact_commit + xact_rollback)::float8 as transactions
      from pg_stat_database where datname = current_database()`,
    [],
  );
  const lists = await Promise.all(replicas.dispatcher.map(({ port }) => listsOf(port)));
  return {
    apiCpu: cpuOf(replicas.api.map(({ pid }) => pid())),
    dispatcherCpu: cpuOf(replicas.dispatcher.map(({ pid }) => pid())),
    postgresCpu: cpuOf(sessions.map(({ pid }) => pid)),
    transactions: counted?.transactions ?? 0,
    bankLists: lists.reduce((sum, count) => sum + count, 0),
    connections: sessions.length,
  };
}

/** The kernel counts in hundredths of a second. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function listsOf(port: number): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const counts = metrics.matchAll(
    /^payments_psp_call_duration_seconds_count\{[^}]*operation="listPix"[^}]*\} (\d+)/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
