import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { run } from '../run.ts';
import { isDue } from './leases.ts';

/** A delivery that could be claimed, and its endpoint's health. */
export type DueDelivery = {
  id: string;
  storeId: string;
  endpoint: string;
  /** How many times it has been claimed. A claim requires this number, since each claim counts it up. */
  attempts: number;
  /** How many attempts at the endpoint have failed in a row. */
  failures: number;
  /** `to-probe`: the circuit is open, and its rest is over. */
  circuit: 'closed' | 'open' | 'to-probe';
};

const health = `coalesce(f.failures, 0) as failures,
  case when f.open_until is null then 'closed' when f.open_until > now() then 'open' else 'to-probe' end as circuit`;

const head = `
  select due.id, due.store_id, due.endpoint, due.attempts, ${health}
  from (
    select id, store_id, endpoint, attempts, next_attempt_at from deliveries d
    where ${isDue('d')}
    order by next_attempt_at limit $1
  ) due left join failing_endpoints f on f.id = due.endpoint
  order by due.next_attempt_at`;

/** @returns the deliveries that have been due longest, including those of open circuits */
export function readDue(db: Queryable, limit: number): Promise<DueDelivery[]> {
  return run(db, head, [limit]);
}

export type PageOfStores = {
  /** The store to start after; null for the first page. */
  after: string | null;
  /** By store, the endpoint to start after. Other stores start with their first one. */
  endpointsAfter: ReadonlyMap<string, string>;
  /** Stores of which nothing is read. */
  except: readonly string[];
  /** The most stores of a page. */
  stores: number;
  /** How many endpoints the stores of a page share equally. */
  endpoints: number;
  /** The most deliveries of one endpoint. */
  perEndpoint: number;
};

/** Where a store's next page begins; null if it had no more endpoints. */
type Visited = { storeId: string; next: string | null };

type Row = Visited & (DueDelivery | { id: null });

/**
 * Reads some due deliveries of each store, of some of its endpoints: however many one store has, they hide no other
 * store's, and those of one endpoint hide no other endpoint's. Those of open circuits are left out.
 * @returns `next`, the store to continue after; null after the last store
 */
export async function readDueByStore(
  db: Queryable,
  { after, endpointsAfter, except, stores, endpoints, perEndpoint }: PageOfStores,
): Promise<{ due: DueDelivery[]; visited: Visited[]; next: string | null }> {
  // The limits keep the planner from joining whole tables: it expects far more endpoints than there are.
  const { rows } = await sql<Row>`
    with recursive store as (
      select ${nextStore(sql`${after ?? firstUuid}::uuid`)} as id, 1 as visits
      union all
      select ${nextStore(sql`store.id`)}, visits + 1 from store where store.id is not null and visits < ${stores}
    ), share as (
      select ceil(${endpoints}::float8 / greatest(count(id), 1)) as size from store
    )
    select s.id as store_id, e.next, d.id, e.endpoint, d.attempts, e.failures, e.circuit
    from share cross join store s
    left join unnest(${[...endpointsAfter.keys()]}::uuid[], ${[...endpointsAfter.values()]}::uuid[])
      as begun (store_id, endpoint) on begun.store_id = s.id
    left join lateral (
      with recursive visited as (
        select ${nextEndpoint(sql`coalesce(begun.endpoint, ${firstUuid}::uuid)`)} as endpoint, 1 as visits
        where s.id <> all(${[...except]}::uuid[])
        union all
        select ${nextEndpoint(sql`visited.endpoint`)}, visits + 1 from visited
        where visited.endpoint is not null and visits <= share.size
      )
      select endpoint, ${sql.raw(health)}, case when visits = share.size and following is not null then endpoint end as next
      from (select *, lead(endpoint) over (order by visits) as following from visited) visited
      left join lateral (select * from failing_endpoints where id = visited.endpoint limit 1) f on true
      where endpoint is not null and visits <= share.size
    ) e on true
    left join lateral (
      select id, attempts, next_attempt_at from deliveries d
      where d.store_id = s.id and d.endpoint = e.endpoint and e.circuit <> 'open' and ${isToAttempt}
        and ${sql.raw(isDue('d'))}
      order by next_attempt_at limit ${perEndpoint}
    ) d on true
    where s.id is not null
    order by s.id, e.endpoint, d.next_attempt_at`.execute(db);
  const visited = new Map(rows.map(({ storeId, next }) => [storeId, { storeId, next }]));
  return {
    due: rows.filter((row): row is Visited & DueDelivery => row.id !== null),
    visited: [...visited.values()],
    next: visited.size === stores ? (rows.at(-1)?.storeId ?? null) : null,
  };
}

// Only the index of what is to attempt has this order. Ordered by store alone, the planner may take an index that has the
// delivered rows, too: it does while its statistics tell of a backlog.
const nextStore = (after: RawBuilder<unknown>) => sql`(
  select store_id from deliveries where ${isToAttempt} and store_id > ${after} order by store_id, endpoint limit 1)`;

const nextEndpoint = (after: RawBuilder<unknown>) => sql`(
  select endpoint from deliveries where ${isToAttempt} and store_id = s.id and endpoint > ${after}
  order by endpoint limit 1)`;

/** True if there is a next attempt, in the words of the index by store. */
export const isToAttempt = sql<boolean>`((next_attempt_at is null) is false)`;

const firstUuid = '00000000-0000-0000-0000-000000000000';
