import { sql } from 'kysely';
import type { ClaimedDelivery } from './claimed-delivery.ts';
import type { Queryable } from './connection.ts';

export type EndpointPhase = 'closed' | 'open' | 'half-open';

/** What is kept of a receiver that fails: the state of its breaker. Times are epoch milliseconds. */
export type EndpointHealth = {
  phase: EndpointPhase;
  failures: number;
  openings: number;
  until: number | null;
  failingSince: number | null;
};

/** Says what an attempt makes of its endpoint's health; null for one that is well. */
export type EndpointJudge = (health: EndpointHealth | null) => EndpointHealth | null;

/**
 * Keeps what an attempt says of its endpoint, in the transaction that records it: shared by all replicas. An endpoint
 * that is well has no row, so deliveries to it write nothing here.
 */
export async function judgeEndpoint(
  trx: Queryable,
  { endpoint, storeId, url }: ClaimedDelivery,
  judge: EndpointJudge,
  error: string | null,
): Promise<void> {
  const known = await lockHealth(trx, endpoint);
  const health = judge(known);
  if (health === known) return;
  if (!health) {
    await trx.deleteFrom('failing_endpoints').where('id', '=', endpoint).execute();
    return;
  }
  const { phase, failures, openings } = health;
  const until = health.until === null ? null : new Date(health.until);
  await sql`
    insert into failing_endpoints as f (id, store_id, url, phase, failures, openings, open_until, failing_since, last_error)
    values (${endpoint}, ${storeId}, regexp_replace(${url}, '[?#].*$', ''), ${phase}, ${failures}, ${openings},
      ${until}, now(), ${error})
    on conflict (id) do update set phase = excluded.phase, failures = greatest(f.failures + 1, excluded.failures),
      openings = excluded.openings, open_until = excluded.open_until, last_error = excluded.last_error`.execute(
    trx,
  );
}

async function lockHealth(trx: Queryable, id: string): Promise<EndpointHealth | null> {
  const row = await trx
    .selectFrom('failing_endpoints')
    .select(['phase', 'failures', 'openings', 'open_until', 'failing_since'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return null;
  const { phase, failures, openings } = row;
  return {
    phase,
    failures,
    openings,
    until: row.open_until?.getTime() ?? null,
    failingSince: row.failing_since.getTime(),
  };
}

/** A receiver that fails now. */
export type FailingEndpoint = {
  id: string;
  storeId: string;
  url: string;
  phase: EndpointPhase;
  failures: number;
  failingSince: Date;
  openUntil: Date | null;
  lastError: string | null;
};

/** @returns the receivers that fail now, longest first */
export async function listFailingEndpoints(db: Queryable, limit: number): Promise<FailingEndpoint[]> {
  return db
    .selectFrom('failing_endpoints')
    .select(['id', 'store_id as storeId', 'url', 'phase', 'failures', 'failing_since as failingSince'])
    .select(['open_until as openUntil', 'last_error as lastError'])
    .orderBy('failing_since')
    .limit(limit)
    .execute();
}

/** Lets deliveries to an endpoint go on at once, as if it had not failed. @returns false when it is not failing */
export async function releaseEndpoint(db: Queryable, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('failing_endpoints').where('id', '=', id).executeTakeFirst();
  return numDeletedRows === 1n;
}
