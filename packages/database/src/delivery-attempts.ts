import { sql } from 'kysely';
import type { ClaimedDelivery } from './claimed-delivery.ts';
import type { Database, Queryable } from './connection.ts';
import { type EndpointJudge, judgeEndpoint } from './failing-endpoints.ts';
import type { DeliveryState } from './schema.ts';

export type AttemptRecord = {
  startedAt: Date;
  durationMs: number;
  statusCode: number | null;
  stage: string | null;
  error: string | null;
  responseExcerpt: string | null;
  state: DeliveryState;
  /** For `pending`: how long until the next attempt. */
  retryInMs: number | null;
};

/**
 * Enters an attempt and what follows from it, if the claim still holds.
 * @returns false when the lease had run out and someone else took over: then only the attempt is kept
 */
export async function recordAttempt(
  db: Database,
  delivery: ClaimedDelivery,
  record: AttemptRecord,
  judge: EndpointJudge,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    await insertAttempt(trx, delivery, record);
    const { numAffectedRows } = await sql`
      update deliveries set attempted = true, state = ${record.state}, claim_id = null,
        next_attempt_at = now() + ${record.retryInMs}::float8 * interval '1 millisecond',
        last_error = ${record.error},
        finished_at = case when ${record.state} = 'pending' then null else now() end
      where id = ${delivery.id} and claim_id = ${delivery.claimId}`.execute(trx);
    await judgeEndpoint(trx, delivery, judge, record.error);
    // A statement of its own: it must see a follow-up that was entered while this one waited for the row's lock.
    await sql`
      update deliveries set next_attempt_at = now()
      where payment_id = ${delivery.paymentId} and sequence = ${delivery.sequence + 1}
        and state = 'pending' and next_attempt_at is null`.execute(trx);
    return numAffectedRows === 1n;
  });
}

async function insertAttempt(
  trx: Queryable,
  delivery: ClaimedDelivery,
  record: AttemptRecord,
): Promise<void> {
  await sql`
    insert into attempts (delivery_id, number, started_at, duration_ms, status_code, stage, error, response_excerpt)
    values (${delivery.id}, ${delivery.attempt}, ${record.startedAt}, ${record.durationMs}, ${record.statusCode},
      ${record.stage}, ${record.error}, ${record.responseExcerpt})
    on conflict (delivery_id, number) do update set duration_ms = excluded.duration_ms,
      status_code = excluded.status_code, stage = excluded.stage, error = excluded.error,
      response_excerpt = excluded.response_excerpt`.execute(trx);
}

/** Keeps the claims of attempts that are still under way. */
export async function renewLeases(
  db: Queryable,
  deliveries: readonly ClaimedDelivery[],
  leaseMs: number,
): Promise<void> {
  const ids = deliveries.map((delivery) => delivery.id);
  const claims = deliveries.map((delivery) => delivery.claimId);
  await sql`
    update deliveries d set next_attempt_at = now() + ${leaseMs} * interval '1 millisecond'
    from unnest(${ids}::uuid[], ${claims}::uuid[]) as held (id, claim_id)
    where d.id = held.id and d.claim_id = held.claim_id`.execute(db);
}
