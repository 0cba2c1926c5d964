import type { Queryable } from '../connection.ts';
import { anyOf } from '../filters.ts';

/** @returns those of these ids whose events the database has */
export async function findKnownEvents(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.selectFrom('events').select('id').where('id', '=', anyOf(ids)).execute();
  return new Set(rows.map(({ id }) => id));
}
