import pg from 'pg';
import { eventually, patienceMs } from './patience.ts';
import { inSession } from './sessions.ts';

/** A point at which another session's transaction waits until the test continues it. */
export type Pause = {
  /** Resolves when a transaction waits there. */
  reached(): Promise<void>;
  /** Resolves when this many sessions of the database wait for a lock, including the one at the pause. */
  waiters(count: number): Promise<void>;
  /** Ends the waiting sessions. PostgreSQL would otherwise go on with the statement of a killed process. */
  endWaiters(): Promise<void>;
  /** Lets it and all later ones continue. */
  end(): Promise<void>;
};

const key = 4_711;

/**
 * Pauses transactions at a row change, by a trigger that waits for an advisory lock. A test thus controls where two of
 * them meet. A database can have one pause at a time. No `lock_timeout` ends a statement that waits there.
 * @param moment such as `after insert on deliveries`
 * @param condition on `new` and, for updates, `old`
 */
export async function pauseOn(url: string, moment: string, condition = 'true'): Promise<Pause> {
  const gate = new pg.Client({ connectionString: url });
  await gate.connect();
  const table = moment.split(' ').at(-1);
  await gate.query(`create or replace function stand_still() returns trigger language plpgsql set lock_timeout = 0 as $$ begin
    perform pg_advisory_xact_lock(${key}); return new; end $$`);
  await gate.query(
    `create trigger pause ${moment} for each row when (${condition}) execute function stand_still()`,
  );
  await gate.query(`select pg_advisory_lock(${key})`);

  return {
    reached: () => untilWaiting(url, 1),
    waiters: (count) => untilWaiting(url, count),
    endWaiters: async () => {
      await gate.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`);
    },
    end: async () => {
      await gate.query(`select pg_advisory_unlock(${key})`);
      await gate.query(`drop trigger pause on ${table}`);
      await gate.end();
    },
  };
}

/**
 * Resolves when this many sessions of a database wait for a lock.
 * @param text if given, only those whose statement has it
 */
export function untilWaiting(url: string, count: number, text?: string): Promise<void> {
  return inSession(url, async (client) => {
    for (const deadline = Date.now() + patienceMs; ; ) {
      const waiting = await countWaiting(client, text);
      if (waiting >= count) return;
      if (Date.now() > deadline) throw new Error(`${waiting} sessions wait, not ${count}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
}

/** Resolves when this many of the requests have ended, whichever they are, while the others may still wait. */
export async function untilAnswered(asked: readonly Promise<unknown>[], count: number): Promise<void> {
  let answered = 0;
  const note = () => {
    answered += 1;
  };
  for (const one of asked) void one.then(note, note);
  await eventually(`${count} answers`, async () => answered >= count || undefined);
}

/**
 * Locks a table, so that whoever reads it waits.
 * @returns the end of the lock, and the number of sessions of the database that wait for one, as `untilWaiting` counts them
 */
export async function lockTable(url: string, table: string) {
  const client = new pg.Client({ connectionString: url });
  // If a test fails while it holds the lock, PostgreSQL ends this session, so that the requests that wait for it go on.
  client.on('error', () => {});
  await client.connect();
  await client.query(`begin; set local idle_in_transaction_session_timeout = ${2 * patienceMs};
    lock table ${table} in access exclusive mode`);
  return {
    waiters: (text?: string) => countWaiting(client, text),
    end: () => client.end(),
  };
}

async function countWaiting(client: pg.ClientBase, text = ''): Promise<number> {
  const { rows } = await client.query(
    `select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and strpos(query, $1) > 0`,
    [text],
  );
  return rows[0].waiting;
}
