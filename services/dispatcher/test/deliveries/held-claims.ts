import { eventually } from '@payments/testing/system';
import pg from 'pg';
import type { Sql } from './sql.ts';

const claims = `from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%with rested as%'`;

/**
 * Stops every change of a delivery before its commit, as a claim is one.
 * @param url the test's database; a pooler may be between, so a transaction holds the lock, not a session
 */
export async function holdClaims(sql: Sql, url: string) {
  await sql(`create function stand_still() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock(1); return new; end $$;
    create trigger pause after update on deliveries for each row execute function stand_still()`);
  const lock = new pg.Client({ connectionString: url });
  await lock.connect();
  await lock.query(
    `begin; set local idle_in_transaction_session_timeout = 0; select pg_advisory_xact_lock(1)`,
  );
  return {
    /** Resolves when a dispatcher's claim is held. */
    untilClaimed: () =>
      eventually('the claim to stand at the lock', async () => {
        const [{ waiting }] = await sql(`select count(*)::int as waiting ${claims}`);
        return waiting > 0 || undefined;
      }),
    /** Ends the sessions of the held claims: PostgreSQL does not notice that a client was killed. */
    endClaims: () => sql(`select pg_terminate_backend(pid) ${claims}`),
    /** Lets the held claims commit. */
    release: () => lock.end(),
    /** Lets all later claims pass. */
    remove: () => sql('drop trigger pause on deliveries'),
  };
}
