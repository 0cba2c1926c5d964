import { randomUUID } from 'node:crypto';
import type { EventType } from '@payments/domain/events';
import type { PaymentView } from '@payments/domain/payment';
import type { PaymentStatus } from '@payments/domain/status';
import { sql } from 'kysely';
import type { Database, Queryable } from './connection.ts';
import type { DeliveryState } from './schema.ts';

/** A delivery that this process alone may attempt until its lease ends. */
export type ClaimedDelivery = {
  id: string;
  claimId: string;
  paymentId: string;
  storeId: string;
  sequence: number;
  url: string;
  /** The number of this attempt, from 1. */
  attempt: number;
  /** The attempts of the present retry schedule, this one included: a redrive starts it anew. */
  scheduledAttempt: number;
  type: EventType;
  payment: PaymentView;
  previousStatus: PaymentStatus | null;
  requestId: string | null;
  secrets: string[];
};

type ClaimRow = {
  id: string;
  payment_id: string;
  store_id: string;
  sequence: number;
  url: string;
  attempts: number;
  attempts_before_redrive: number;
  request_id: string | null;
  type: EventType;
  payload: PaymentView;
  previous_status: PaymentStatus | null;
  secrets: string[];
};

/**
 * Claims up to `limit` due deliveries. The lease is the row's own `next_attempt_at`: a process that dies leaves a
 * row that simply falls due again. The attempt is counted now, so that one that keeps killing its process ends too;
 * an earlier claim that never came back is entered among the attempts as lost.
 */
export async function claimDueDeliveries(
  db: Queryable,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<ClaimedDelivery[]> {
  const claimId = randomUUID();
  const { rows } = await sql<ClaimRow>`
    with due as (
      select id, attempts, claim_id, claimed_at from deliveries
      where state = 'pending' and next_attempt_at <= now()
      order by next_attempt_at limit ${limit} for update skip locked
    ), lost as (
      insert into attempts (delivery_id, number, started_at, stage, error)
      select id, attempts, claimed_at, 'lost', 'the process that made this attempt disappeared'
      from due where claim_id is not null
      on conflict do nothing
    ), claimed as (
      update deliveries d set claim_id = ${claimId}, claimed_at = now(), attempts = d.attempts + 1,
        next_attempt_at = now() + ${leaseMs} * interval '1 millisecond'
      from due where d.id = due.id
      returning d.id, d.payment_id, d.store_id, d.sequence, d.url, d.attempts, d.attempts_before_redrive, d.request_id
    )
    select c.*, e.type, e.payload, e.previous_status,
      case when s.previous_webhook_secret_until > now() then array[s.webhook_secret, s.previous_webhook_secret]
        else array[s.webhook_secret] end as secrets
    from claimed c join events e on e.id = c.id join stores s on s.id = c.store_id`.execute(db);
  return rows.map((row) => toClaimed(row, claimId));
}

function toClaimed(row: ClaimRow, claimId: string): ClaimedDelivery {
  return {
    id: row.id,
    claimId,
    paymentId: row.payment_id,
    storeId: row.store_id,
    sequence: row.sequence,
    url: row.url,
    attempt: row.attempts,
    scheduledAttempt: row.attempts - row.attempts_before_redrive,
    type: row.type,
    payment: row.payload,
    previousStatus: row.previous_status,
    requestId: row.request_id,
    secrets: row.secrets,
  };
}

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
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    await insertAttempt(trx, delivery, record);
    const { numAffectedRows } = await sql`
      update deliveries set attempted = true, state = ${record.state}, claim_id = null,
        next_attempt_at = now() + ${record.retryInMs}::float8 * interval '1 millisecond',
        last_error = ${record.error},
        finished_at = case when ${record.state} = 'pending' then null else now() end
      where id = ${delivery.id} and claim_id = ${delivery.claimId}`.execute(trx);
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

/** Gives back claims that were not attempted, as at shutdown: due at once, and not counted. */
export async function releaseDeliveries(
  db: Queryable,
  deliveries: readonly ClaimedDelivery[],
): Promise<void> {
  for (const { id, claimId } of deliveries) {
    await sql`
      update deliveries set claim_id = null, attempts = attempts - 1, next_attempt_at = now()
      where id = ${id} and claim_id = ${claimId}`.execute(db);
  }
}
