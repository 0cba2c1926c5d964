import { sql } from 'kysely';
import { anyOf } from './arrays.ts';
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

type Judged = { delivery: ClaimedDelivery; record: { error: string | null }; judge: EndpointJudge };

/**
 * Keeps what attempts say of their endpoints, in the transaction that records them: shared by all replicas. An endpoint
 * that is well has no row, so deliveries to it write nothing here.
 */
export async function judgeEndpoints(trx: Queryable, attempts: readonly Judged[]): Promise<void> {
  const known = await lockHealth(
    trx,
    attempts.map(({ delivery }) => delivery.endpoint),
  );
  // In the order of their ids: two transactions that judge the same endpoints never wait in a circle.
  const inOrder = attempts.toSorted((a, b) => (a.delivery.endpoint < b.delivery.endpoint ? -1 : 1));
  for (const { delivery, record, judge } of inOrder) {
    const before = known.get(delivery.endpoint) ?? null;
    const health = judge(before);
    if (health === before) continue;
    if (health) {
      await keepHealth(trx, delivery, health, record.error);
      known.set(delivery.endpoint, health);
    } else {
      await trx.deleteFrom('failing_endpoints').where('id', '=', delivery.endpoint).execute();
      known.delete(delivery.endpoint);
    }
  }
}

async function lockHealth(trx: Queryable, ids: string[]): Promise<Map<string, EndpointHealth>> {
  const rows = await trx
    .selectFrom('failing_endpoints')
    .select(['id', 'phase', 'failures', 'openings', 'open_until', 'failing_since'])
    .where('id', '=', anyOf(ids))
    .orderBy('id')
    .forUpdate()
    .execute();
  return new Map(
    rows.map(({ id, phase, failures, openings, open_until, failing_since }) => {
      const until = open_until?.getTime() ?? null;
      return [id, { phase, failures, openings, until, failingSince: failing_since.getTime() }];
    }),
  );
}

async function keepHealth(
  trx: Queryable,
  { endpoint, storeId, url }: ClaimedDelivery,
  { phase, failures, openings, until }: EndpointHealth,
  error: string | null,
): Promise<void> {
  await sql`
    insert into failing_endpoints as f (id, store_id, url, phase, failures, openings, open_until, failing_since, last_error)
    values (${endpoint}, ${storeId}, regexp_replace(${url}, '[?#].*$', ''), ${phase}, ${failures}, ${openings},
      ${until === null ? null : new Date(until)}, now(), ${error})
    on conflict (id) do update set phase = excluded.phase, failures = greatest(f.failures + 1, excluded.failures),
      openings = excluded.openings, open_until = excluded.open_until, last_error = excluded.last_error`.execute(
    trx,
  );
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
