import { sql } from 'kysely';
import type { Queryable } from './connection.ts';
import type { AttemptRecord, ClaimedDelivery } from './delivery-claims.ts';

/**
 * Keeps what an attempt says of its endpoint: a success forgets its failures, a failure counts on and may open its
 * breaker. Shared by all replicas, in the transaction that records the attempt.
 */
export async function recordEndpoint(
  trx: Queryable,
  delivery: ClaimedDelivery,
  record: Pick<AttemptRecord, 'state' | 'error' | 'restMs'>,
): Promise<void> {
  const { endpoint, storeId, url } = delivery;
  if (record.state === 'delivered') {
    await sql`delete from failing_endpoints where id = ${endpoint}`.execute(trx);
    return;
  }
  const { rows } = await sql<{ failures: number }>`
    insert into failing_endpoints as f (id, store_id, url, failures, failing_since, last_error)
    values (${endpoint}, ${storeId}, regexp_replace(${url}, '[?#].*$', ''), 1, now(), ${record.error})
    on conflict (id) do update set failures = f.failures + 1, last_error = excluded.last_error
    returning failures`.execute(trx);
  const restMs = record.restMs(rows[0]?.failures ?? 1);
  if (restMs === null) return;
  await sql`
    update failing_endpoints set open_until = now() + ${restMs}::float8 * interval '1 millisecond'
    where id = ${endpoint}`.execute(trx);
}

/** A receiver that fails now. */
export type FailingEndpoint = {
  id: string;
  storeId: string;
  url: string;
  failures: number;
  failingSince: Date;
  openUntil: Date | null;
  lastError: string | null;
};

/** @returns the receivers that fail now, longest first */
export async function listFailingEndpoints(db: Queryable, limit: number): Promise<FailingEndpoint[]> {
  return db
    .selectFrom('failing_endpoints')
    .select(['id', 'store_id as storeId', 'url', 'failures', 'failing_since as failingSince'])
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
