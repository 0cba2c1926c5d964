import { sql } from 'kysely';
import { isFreeOf } from '../claims.ts';
import type { Queryable } from '../connection.ts';
import { anyOf } from '../filters.ts';

/** A condition that lasts, and the key by which it is one fact however often it is seen. */
type Seen<Values> = Values & { key: string; since: Date };

type FailingEndpoint = Seen<{ id: string; storeId: string; url: string; failures: number }>;

/**
 * @returns endpoints with an open circuit that nobody was told of since they began to fail, at most `limit`. `host` is all
 * of the URL that may leave the service
 */
export async function findUntoldEndpoints(db: Queryable, limit: number): Promise<FailingEndpoint[]> {
  const { rows } = await sql<FailingEndpoint>`
    select id, store_id, url, failures, failing_since as since, ${keyOf('id', 'failing_since')} as key
    from failing_endpoints where ${isUntold}
    order by failing_since, id limit ${limit}`.execute(db);
  return rows;
}

/**
 * Marks endpoints whose notices are written, so that no look reads them again. Until then the notice's key keeps each from
 * being told twice: by another dispatcher, or after a process that died before this. An endpoint that recovered and failed
 * anew since the look stays untold. One whose row a delivery's verdict holds is marked after the next look, so that
 * neither waits.
 */
export async function markTold(
  db: Queryable,
  endpoints: readonly Pick<FailingEndpoint, 'id' | 'key'>[],
): Promise<void> {
  if (endpoints.length === 0) return;
  const told = db
    .selectFrom('failingEndpoints')
    .where('id', '=', anyOf(endpoints.map(({ id }) => id)))
    .where(keyOf('id', 'failing_since'), '=', anyOf(endpoints.map(({ key }) => key)))
    .where(isUntold);
  await db
    .updateTable('failingEndpoints')
    .set((eb) => ({ toldSince: eb.ref('failingSince') }))
    .where(isFreeOf(told))
    .execute();
}

/** SQL: as the index of the untold ones says it. */
const isUntold = sql<boolean>`open_until is not null and told_since is distinct from failing_since`;

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
 * True of a notice that may be deleted: nothing would tell it again. An endpoint that is marked is not told again, however
 * long it fails on. A bank that still fails would be, and so would a day that is compared again.
 *
 * Each notice looks up its own row. For `exists` or `in`, PostgreSQL might read all conditions, even once for each notice.
 * @param comparedSince the first day that is compared again
 */
export const isOver = (comparedSince: string) => sql<boolean>`case kind
  when 'endpoint_failing' then notices.key is distinct from (
    select ${keyOf('id', 'failing_since')} from failing_endpoints
    where id = (facts ->> 'endpointId')::uuid and told_since is distinct from failing_since)
  when 'bank_failing' then notices.key is distinct from (
    select ${keyOf('id', 'failing_since')} from banks where id = facts ->> 'bank')
  when 'reconciliation_differs' then facts ->> 'date' < ${comparedSince}
  else true end`;

function keyOf(id: string, since: string) {
  return sql<string>`${sql.ref(id)} || ' ' || floor(extract(epoch from ${sql.ref(since)}) * 1000)::bigint`;
}
