import { sql } from 'kysely';
import { type Database, type Queryable, shareOf } from './connection.ts';

/** @throws DatabaseUnavailable if the database does not respond */
export async function ping(db: Queryable): Promise<void> {
  await sql`select 1`.execute(db);
}

// A connection that died silently must not make a process unready whose others work.
const shared = { connections: 2, forMs: 2_000 };

/**
 * Health needs no credential, and its askers must not take the connections of sales.
 * @returns a ping whose answer is shared by all who ask while it runs; after two seconds another one may run beside it
 */
export function sharedPing(db: Database, forMs = shared.forMs): () => Promise<void> {
  const share = shareOf(db, shared.connections);
  let running: Promise<void> | undefined;
  return () => {
    if (running) return running;
    const forget = () => {
      if (running === mine) running = undefined;
    };
    const timer = setTimeout(forget, forMs);
    const mine = ping(share).finally(() => {
      clearTimeout(timer);
      forget();
    });
    running = mine;
    return mine;
  };
}

/** @returns PostgreSQL's time, in milliseconds since 1970 */
export async function readClock(db: Queryable): Promise<number> {
  const read = sql<{ ms: number }>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`;
  const { rows } = await read.execute(db);
  return rows[0]!.ms;
}
