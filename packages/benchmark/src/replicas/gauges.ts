import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@payments/local-servers/postgres-embedded';
import type { ReplicatedSystem } from '@payments/testing/replicated-system';
import { query } from '@payments/testing/sessions';
import { cpuMs } from '../machine.ts';

/** Starts a PostgreSQL that counts how often each statement runs. */
export async function startCountingPostgres(): Promise<{ url: string; remove(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'payments-replicas-'));
  const server = await startEmbeddedPostgres({
    dir,
    tuning: 'fast',
    settings: ['shared_preload_libraries=pg_stat_statements'],
  });
  return {
    url: server.url,
    remove: async () => {
      await server.kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** The use of a system so far; CPU in seconds. */
export type Gauges = {
  apiCpu: number;
  dispatcherCpu: number;
  postgresCpu: number;
  transactions: number;
  /** Calls of the dispatchers that read a bank's lists. */
  bankLists: number;
  connections: number;
  /** Dispatchers that an event woke. */
  wakes: number;
  /** Reads of the deliveries that are due. */
  looks: number;
  /** Statements that claim deliveries, and the deliveries that they claimed. */
  claims: number;
  claimed: number;
};

/** Reads all of it. Linux only, with PostgreSQL on this machine. */
export async function readGauges({ replicas, databaseUrl }: ReplicatedSystem): Promise<Gauges> {
  const cpuOf = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + cpuMs(pid) / 1_000, 0);
  const sessions = await query<{ pid: number }>(
    databaseUrl,
    'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  const [counted] = await query<{ transactions: number }>(
    databaseUrl,
    `select (xact_commit + xact_rollback)::float8 as transactions
      from pg_stat_database where datname = current_database()`,
  );
  const metrics = await Promise.all(replicas.dispatcher.map(({ port }) => metricsOf(port)));
  const ofDispatchers = (name: RegExp) => metrics.reduce((sum, text) => sum + countOf(text, name), 0);
  const [statements] = await query<Pick<Gauges, 'looks' | 'claims' | 'claimed'>>(
    databaseUrl,
    statementCounts,
  );
  return {
    apiCpu: cpuOf(replicas.api.map(({ pid }) => pid())),
    dispatcherCpu: cpuOf(replicas.dispatcher.map(({ pid }) => pid())),
    postgresCpu: cpuOf(sessions.map(({ pid }) => pid)),
    transactions: counted?.transactions ?? 0,
    bankLists: ofDispatchers(listCalls),
    wakes: ofDispatchers(eventsHeard),
    ...(statements as Pick<Gauges, 'looks' | 'claims' | 'claimed'>),
    connections: sessions.length,
  };
}

const listCalls = /^payments_psp_call_duration_seconds_count\{[^}]*operation="listPix"[^}]*\} (\d+)/gm;
const eventsHeard = /^payments_events_heard_total(?:\{[^}]*\})? (\d+)/gm;

async function metricsOf(port: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

const countOf = (metrics: string, name: RegExp) =>
  [...metrics.matchAll(name)].reduce((sum, [, count]) => sum + Number(count), 0);

const statementCounts = `
  select coalesce(sum(calls) filter (where query like '%order by due.next_attempt_at'), 0)::float8 as looks,
    coalesce(sum(calls) filter (where query like '%with rested as (%'), 0)::float8 as claims,
    coalesce(sum(rows) filter (where query like '%with rested as (%'), 0)::float8 as claimed
  from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())`;

/** Lets PostgreSQL count statements in this database. */
export async function countStatements(databaseUrl: string): Promise<void> {
  await query(databaseUrl, 'create extension pg_stat_statements');
}
