import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';

/**
 * Records the last uses of many tokens in one statement; a later time from another replica stays. Rows are locked in
 * the order of their ids, which prevents deadlocks.
 */
export async function recordTokenUses(db: Queryable, uses: ReadonlyMap<string, Date>): Promise<void> {
  const [ids, times] = [[...uses.keys()], [...uses.values()]];
  await sql`
    with used as (
      select t.id, u.at from unnest(${ids}::uuid[], ${times}::timestamptz[]) as u (id, at)
      join tokens t on t.id = u.id
      where t.last_used_at is null or t.last_used_at < u.at
      order by t.id for no key update of t
    )
    update tokens t set last_used_at = used.at from used where t.id = used.id`.execute(db);
}
