import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { isDue } from './leases.ts';

/** A delivery that could be claimed, and its endpoint's health. */
export type DueDelivery = {
  id: string;
  endpoint: string;
  /** How many attempts at the endpoint have failed in a row. */
  failures: number;
  /** `to-probe`: the circuit is open, and its rest is over. */
  circuit: 'closed' | 'open' | 'to-probe';
};

const dueDelivery = (endpoint: RawBuilder<unknown>) => sql`
  coalesce(f.failures, 0) as failures,
  case when f.open_until is null then 'closed' when f.open_until > now() then 'open' else 'to-probe' end as circuit
  from ${endpoint} due left join failing_endpoints f on f.id = due.endpoint`;

/** @returns the deliveries that have been due longest, including those of open circuits */
export async function readDue(db: Queryable, limit: number): Promise<DueDelivery[]> {
  const head = sql`(
    select id, endpoint, next_attempt_at from deliveries d
    where ${isDue('d')}
    order by next_attempt_at limit ${limit}
  )`;
  const { rows } = await sql<DueDelivery>`
    select due.id, due.endpoint, ${dueDelivery(head)}
    order by due.next_attempt_at`.execute(db.withoutPlugins());
  return rows;
}

/**
 * Reads some due deliveries of each endpoint, so that a long queue of one hides no other.
 * @param after the endpoint to start after; null for the first page
 * @returns `next`, the endpoint to continue after; null after the last endpoint
 */
export async function readDueByEndpoint(
  db: Queryable,
  { after, endpoints, perEndpoint }: { after: string | null; endpoints: number; perEndpoint: number },
): Promise<{ due: DueDelivery[]; next: string | null }> {
  const page = sql`(
    with recursive visited as (
      select ${nextEndpoint(sql`${after ?? firstUuid}::uuid`)} as endpoint, 1 as visits
      union all
      select ${nextEndpoint(sql`visited.endpoint`)}, visits + 1 from visited
      where visited.endpoint is not null and visits < ${endpoints}
    )
    select d.id, d.next_attempt_at, visited.endpoint from visited left join lateral (
      select id, next_attempt_at from deliveries d
      where d.endpoint = visited.endpoint and ${isToAttempt} and ${isDue('d')}
      order by next_attempt_at limit ${perEndpoint}
    ) d on true
    where visited.endpoint is not null
  )`;
  const { rows } = await sql<DueDelivery | (DueDelivery & { id: null })>`
    select due.id, due.endpoint, ${dueDelivery(page)}
    order by due.endpoint, due.next_attempt_at`.execute(db);
  const visited = new Set(rows.map(({ endpoint }) => endpoint));
  return {
    due: rows.filter((row): row is DueDelivery => row.id !== null),
    next: visited.size === endpoints ? (rows.at(-1)?.endpoint ?? null) : null,
  };
}

const nextEndpoint = (after: RawBuilder<unknown>) => sql`(
  select endpoint from deliveries where ${isToAttempt} and endpoint > ${after} order by endpoint limit 1)`;

/** True if there is a next attempt, in the words of the index by endpoint. */
export const isToAttempt = sql<boolean>`((next_attempt_at is null) is false)`;

const firstUuid = '00000000-0000-0000-0000-000000000000';
