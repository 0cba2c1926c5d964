import type { Replica } from '@payments/testing/replica';
import { query } from '@payments/testing/sessions';
import { cpuMs, peakMb, residentMb } from '../machine.ts';

/** A system whose cost is measured. */
export type Measured = {
  url: string;
  token: string;
  databaseUrl: string;
  api: Replica;
  dispatcher: Replica;
  /** Where its administration answers, if it counts its calls of the bank. */
  adminUrl?: string;
};

/** What a system has used so far. */
export type Gauges = {
  /** Milliseconds of processor time. */
  api: number;
  dispatcher: number;
  postgres: number;
  /** Statements that PostgreSQL ran, `begin` and `commit` among them: each is a round trip. */
  statements: number;
  transactions: number;
  walKb: number;
  /** Calls at the bank. */
  bankCalls: number;
};

/** Megabytes resident now and at most. */
export type Memory = { api: number; dispatcher: number };

export async function readGauges({ api, dispatcher, adminUrl, databaseUrl }: Measured): Promise<Gauges> {
  const counting = adminUrl && [adminUrl, `http://127.0.0.1:${dispatcher.port}`];
  const bankCalls = counting
    ? (await Promise.all(counting.map(callsOf))).reduce((a, b) => a + b)
    : Number.NaN;
  const [counted] = await query<{ server: number; statements: number; transactions: number; walKb: number }>(
    databaseUrl,
    `select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)::int as server,
      (select sum(calls)::float8 from pg_stat_statements where ${ofThisDatabase}) as statements,
      (select (xact_commit + xact_rollback)::float8 from pg_stat_database where datname = current_database())
        as transactions,
      (pg_current_wal_lsn() - '0/0')::float8 / 1024 as "walKb"`,
  );
  const { server, ...rest } = counted!;
  const cpu = { api: cpuMs(api.pid()), dispatcher: cpuMs(dispatcher.pid()), postgres: cpuMs(server) };
  return { ...cpu, ...rest, bankCalls };
}

const ofThisDatabase = 'dbid = (select oid from pg_database where datname = current_database())';

export function memoryOf({ api, dispatcher }: Measured): { now: Memory; peak: Memory } {
  const pids = [api.pid(), dispatcher.pid()] as const;
  const [now, peak] = [pids.map(residentMb), pids.map(peakMb)];
  return {
    now: { api: now[0]!, dispatcher: now[1]! },
    peak: { api: peak[0]!, dispatcher: peak[1]! },
  };
}

const calls = /^payments_psp_call_duration_seconds_count\{[^}]*\} (\d+)/gm;

async function callsOf(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return [...metrics.matchAll(calls)].reduce((sum, [, count]) => sum + Number(count), 0);
}

export type StatementCost = {
  query: string;
  calls: number;
  /** How often it was planned, and the milliseconds of that; `ms` is without them. */
  plans: number;
  planMs: number;
  ms: number;
  walBytes: number;
};

/** Forgets the statements so far. */
export async function forgetStatements(databaseUrl: string): Promise<void> {
  await query(databaseUrl, 'select pg_stat_statements_reset()');
}

/** @returns the statements since then, those that took most time first */
export function readStatements(databaseUrl: string, limit: number): Promise<StatementCost[]> {
  return query(
    databaseUrl,
    `select regexp_replace(query, '\\s+', ' ', 'g') as query, calls::float8, plans::float8,
      total_plan_time::float8 as "planMs", total_exec_time::float8 as ms, wal_bytes::float8 as "walBytes"
    from pg_stat_statements where ${ofThisDatabase} and query not like '%pg_stat_statements%'
    order by total_exec_time + total_plan_time desc limit $1`,
    [limit],
  );
}
