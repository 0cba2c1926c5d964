import { sql } from 'kysely';
import type { Queryable } from './connection.ts';

/** @throws DatabaseUnavailable if the database does not respond */
export async function ping(db: Queryable): Promise<void> {
  await sql`select 1`.execute(db);
}

/**
 * Health needs no credential, and its askers must not take the connections of sales.
 * @returns a ping that is one statement at a time: all who ask while it runs share its answer
 */
export function sharedPing(db: Queryable): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= ping(db).finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** @returns PostgreSQL's time, in milliseconds since 1970 */
export async function readClock(db: Queryable): Promise<number> {
  const read = sql<{ ms: number }>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`;
  const { rows } = await read.execute(db);
  return rows[0]!.ms;
}
