import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pgBouncerProgram, startPgBouncer } from '@payments/local-servers/pgbouncer';

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
