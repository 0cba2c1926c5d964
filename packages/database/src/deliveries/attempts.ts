import { sql } from 'kysely';
import type { Database, Queryable } from '../connection.ts';
import type { DeliveryState } from '../schema.ts';
import { type ClaimedDelivery, isWaiting } from './claimed-delivery.ts';
import { type EndpointJudge, judgeEndpoints } from './endpoints.ts';
import { byPayment, isHeld } from './leases.ts';

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

/** A finished attempt: of what, how it went, and what that says of the endpoint. */
export type AttemptOutcome = { delivery: ClaimedDelivery; record: AttemptRecord; judge: EndpointJudge };

export type Recorded = {
  /** Those whose claim held. Where a lease had run out and someone else took over, only the attempt itself is kept. */
  held: Set<AttemptOutcome>;
  /** How many deliveries waited for these first attempts, and are due now. */
  released: number;
};

/**
 * Enters attempts and what follows from them, each if its claim still holds; many at once cost little more than one. What
 * holds goes into the delivery's own row, what comes late among its other attempts.
 */
export async function recordAttempts(db: Database, outcomes: readonly AttemptOutcome[]): Promise<Recorded> {
  const inOrder = outcomes.toSorted((a, b) => byPayment(a.delivery, b.delivery));
  return db.transaction().execute(async (trx) => {
    const { held, failing } = await enterOutcomes(trx, inOrder);
    // A receiver that is well, and takes what it gets, has no row to be judged by.
    const judged = inOrder.filter(({ delivery }) => failing.has(delivery.endpoint));
    await judgeEndpoints(trx, judged);
    return { held, released: await releaseFollowUps(trx, inOrder) };
  });
}

type Entered = {
  held: Set<AttemptOutcome>;
  /** The endpoints that fail by now, or in these outcomes. */
  failing: Set<string>;
};

async function enterOutcomes(trx: Queryable, outcomes: readonly AttemptOutcome[]): Promise<Entered> {
  const deliveries = outcomes.map(({ delivery }) => delivery);
  const ids = deliveries.map((delivery) => delivery.id);
  const records = outcomes.map(({ record }) => record);
  const { rows } = await sql<{
    id: string;
    claim_id: string;
    endpoint: string;
    held: boolean;
    failing: boolean;
  }>`
    with outcome as (
      select * from unnest(
        ${ids}::uuid[], ${deliveries.map((delivery) => delivery.endpoint)}::uuid[],
        ${deliveries.map((delivery) => delivery.claimId)}::uuid[],
        ${deliveries.map((delivery) => delivery.attempt)}::int[], ${records.map((record) => record.startedAt)}::timestamptz[],
        ${records.map((record) => record.durationMs)}::int[], ${records.map((record) => record.statusCode)}::int[],
        ${records.map((record) => record.stage)}::text[], ${records.map((record) => record.error)}::text[],
        ${records.map((record) => record.responseExcerpt)}::text[], ${records.map((record) => record.state)}::text[],
        ${records.map((record) => record.retryInMs)}::float8[]
      ) as o (id, endpoint, claim_id, number, started_at, duration_ms, status_code, stage, error, response_excerpt, state,
        retry_in_ms)
    ), locked as (
      select o.* from outcome o, lateral (select from deliveries where id = o.id for no key update) d
    ), updated as (
      update deliveries d set attempted = true, attempts = greatest(d.attempts, o.number), state = o.state,
        claim_id = null, leased_until = null, last_number = o.number, last_started_at = o.started_at,
        last_duration_ms = o.duration_ms, last_status_code = o.status_code, last_stage = o.stage, last_error = o.error,
        last_response_excerpt = o.response_excerpt,
        next_attempt_at = now() + o.retry_in_ms * interval '1 millisecond'
      from locked o where d.id = o.id and ${isHeld('d', 'o')}
      returning d.id, o.claim_id
    ), late as (
      insert into attempts (delivery_id, number, started_at, duration_ms, status_code, stage, error, response_excerpt)
      select distinct on (id, number) id, number, started_at, duration_ms, status_code, stage, error, response_excerpt
      from locked where (id, claim_id) not in (select id, claim_id from updated)
      on conflict (delivery_id, number) do update set duration_ms = excluded.duration_ms,
        status_code = excluded.status_code, stage = excluded.stage, error = excluded.error,
        response_excerpt = excluded.response_excerpt
    )
    select * from (
      select id, claim_id, endpoint, (id, claim_id) in (select id, claim_id from updated) as held,
        state <> 'delivered' or exists (select from failing_endpoints f where f.id = o.endpoint) as failing
      from outcome o
    ) entered where not held or failing`.execute(trx);
  const lost = new Set(rows.filter(({ held }) => !held).map((row) => `${row.id} ${row.claim_id}`));
  return {
    held: new Set(outcomes.filter(({ delivery }) => !lost.has(`${delivery.id} ${delivery.claimId}`))),
    failing: new Set(rows.filter(({ failing }) => failing).map(({ endpoint }) => endpoint)),
  };
}

/** A statement of its own: it must see follow-ups that were entered while the one before waited for their rows' locks. */
async function releaseFollowUps(trx: Queryable, outcomes: readonly AttemptOutcome[]): Promise<number> {
  const paymentIds = outcomes.map(({ delivery }) => delivery.paymentId);
  const sequences = outcomes.map(({ delivery }) => delivery.sequence + 1);
  const { numAffectedRows } = await sql`
    update deliveries d set next_attempt_at = now()
    where d.id = any(array(
      select following.id from unnest(${paymentIds}::uuid[], ${sequences}::int[]) as next (payment_id, sequence),
        lateral (select id from events where payment_id = next.payment_id and sequence = next.sequence limit 1) following
    )) and ${isWaiting('d')}`.execute(trx);
  return Number(numAffectedRows ?? 0);
}
