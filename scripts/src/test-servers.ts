import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pgBouncerProgram, startPgBouncer } from '@payments/local-servers/pgbouncer';
import { throwawayNats, throwawayPostgres, throwawaySource } from '@payments/local-servers/throwaway';

type TestServers = { postgres: string; nats: string; source: string; close(): Promise<void> };

/**
 * Finds PostgreSQL and NATS for a test run, first match: `DATABASE_URL` and `NATS_URL`, a container engine, this
 * machine's programs. Tests create their own databases and streams, so a given server keeps its data.
 * @throws BackingServiceError in one line
 */
export async function startTestServers(
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<TestServers> {
  const given = { postgres: env.DATABASE_URL, nats: env.NATS_URL };
  const source = given.postgres && given.nats ? 'embedded' : await throwawaySource();
  const [postgres, nats] = await Promise.all([
    given.postgres ? undefined : throwawayPostgres(source),
    given.nats ? undefined : throwawayNats(source, say),
  ]);
  const names = { container: 'a container', embedded: 'this machine' };
  const from = (url: string | undefined, variable: string) => (url ? variable : names[source]);
  return {
    postgres: given.postgres || postgres!.url,
    nats: given.nats || nats!.url,
    source: `PostgreSQL from ${from(given.postgres, 'DATABASE_URL')}, NATS from ${from(given.nats, 'NATS_URL')}`,
    close: async () => void (await Promise.all([postgres?.remove(), nats?.remove()])),
  };
}

const settings = [
  'ignore_startup_parameters=statement_timeout,idle_in_transaction_session_timeout,options',
  'max_client_conn=1000',
  // Hundreds of databases come and go.
  'server_idle_timeout=5',
];

/**
 * Starts PgBouncer in transaction mode in front of the tests' PostgreSQL.
 * @throws an Error in one line if this machine has no PgBouncer
 */
export async function startTestPooler(postgres: string): Promise<{ url: string; close(): Promise<void> }> {
  const program = pgBouncerProgram();
  if (program === undefined)
    throw new Error('this machine has no pgbouncer (Debian and Ubuntu: apt-get install pgbouncer)');
  const dir = await mkdtemp(join(tmpdir(), 'payments-test-pgbouncer-'));
  const pooler = await startPgBouncer({ program, dir, url: postgres, settings });
  return {
    url: pooler.url,
    close: async () => {
      await pooler.kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
