import { sql } from 'kysely';
import type { Queryable } from './connection.ts';

/** @throws DatabaseUnavailable when the database does not answer */
export async function ping(db: Queryable): Promise<void> {
  await sql`select 1`.execute(db);
}
