import { sql } from 'kysely';
import type { Database } from '../src/connection.ts';

/** A point inside somebody else's transaction at which it stands still until told to go on. */
export type Pause = {
  /** Resolves when a transaction stands there. */
  reached(): Promise<void>;
  /** Resolves when so many sessions of this database wait for a lock, the one at the pause included. */
  waiters(count: number): Promise<void>;
  end(): Promise<void>;
};

const key = 4_711;

/**
 * Stops transactions at a row change by a trigger that waits for an advisory lock.
 * @param moment such as `after insert on deliveries`
 * @param condition on `new` and, for updates, `old`
 */
export async function pauseOn(db: Database, moment: string, condition: string): Promise<Pause> {
  await sql
    .raw(`create function stand_still() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock(${key}); return new; end $$`)
    .execute(db);
  await sql
    .raw(`create trigger pause ${moment} for each row when (${condition}) execute function stand_still()`)
    .execute(db);
  const gate = await db.startTransaction().execute();
  await sql`select pg_advisory_xact_lock(${key})`.execute(gate);

  const waiters = async (count: number) => {
    for (const deadline = Date.now() + 5_000; ; ) {
      const { rows } = await sql<{ waiting: number }>`
        select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
      if ((rows[0]?.waiting ?? 0) >= count) return;
      if (Date.now() > deadline) throw new Error(`${rows[0]?.waiting} sessions wait, not ${count}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return {
    reached: () => waiters(1),
    waiters,
    end: async () => {
      await gate.commit().execute();
    },
  };
}
