import { sql } from 'kysely';
import type { Queryable } from './connection.ts';

/** @throws DatabaseUnavailable if the database does not respond */
export async function ping(db: Queryable): Promise<void> {
  await sql`select 1`.execute(db);
}
