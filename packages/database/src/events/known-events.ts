import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';

/** @returns those of these ids whose events the database has */
export async function findKnownEvents(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{
    id: string;
  }>`select id from events where id = any(${[...ids]}::uuid[])`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
