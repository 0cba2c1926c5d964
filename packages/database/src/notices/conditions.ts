import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';

/** A condition that lasts, and the key by which it is one fact however often it is seen. */
type Seen<Values> = Values & { key: string; since: Date };

/**
 * @returns endpoints with an open circuit that nobody was told of since they began to fail, at most `limit`. `host` is all
 * of the URL that may leave the service
 */
export async function findUntoldEndpoints(
  db: Queryable,
  limit: number,
): Promise<Seen<{ id: string; storeId: string; url: string; failures: number }>[]> {
  const { rows } = await sql<Seen<{ id: string; storeId: string; url: string; failures: number }>>`
    select * from (
      select id, store_id, url, failures, failing_since as since, ${keyOf('id', 'failing_since')} as key
      from failing_endpoints where open_until is not null
    ) failing
    where not exists (select from notices where kind = 'endpoint_failing' and notices.key = failing.key)
    order by since limit ${limit}`.execute(db);
  return rows;
}

/** @returns the banks that fail, and that nobody was told of since they began to */
export async function findUntoldBanks(db: Queryable, now: Date): Promise<Seen<{ id: string }>[]> {
  const { rows } = await sql<Seen<{ id: string }>>`
    select * from (
      select id, failing_since as since, ${keyOf('id', 'failing_since')} as key
      from banks where failing_until > ${now}
    ) failing
    where not exists (select from notices where kind = 'bank_failing' and notices.key = failing.key)`.execute(
    db,
  );
  return rows;
}

/**
 * True of a notice that may be deleted: it tells of no condition that lasts, and of no day that is compared again. One of
 * these would be told again.
 * @param comparedSince the first day that is compared again
 */
export const isOver = (comparedSince: string) => sql<boolean>`notices.key not in (
  select ${keyOf('id', 'failing_since')} from failing_endpoints
  union all select ${keyOf('id', 'failing_since')} from banks where failing_since is not null)
  and not (kind = 'reconciliation_differs' and facts ->> 'date' >= ${comparedSince})`;

function keyOf(id: string, since: string) {
  return sql<string>`${sql.ref(id)} || ' ' || floor(extract(epoch from ${sql.ref(since)}) * 1000)::bigint`;
}
