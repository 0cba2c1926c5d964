import { sql } from 'kysely';
import type { Database, Queryable } from '../connection.ts';
import type { DeliveryState, LoggedAttempt } from '../schema.ts';
import type { ClaimedDelivery } from './claim.ts';
import { type EndpointJudge, judgeEndpoints } from './endpoints.ts';

/** One attempt as the delivery's log keeps it. */
export type Attempt = Omit<LoggedAttempt, 'startedAt'> & { startedAt: Date };

/** A finished attempt, and the new state of its delivery and endpoint. */
export type AttemptOutcome = {
  delivery: ClaimedDelivery;
  attempt: Omit<Attempt, 'number'> & { durationMs: number };
  state: DeliveryState;
  /** For `pending`: the time until the next attempt. */
  retryInMs: number | null;
  /** True for an attempt that takes no place of the retry schedule. */
  uncounted?: true;
  /** Null if the attempt says nothing about the endpoint. */
  endpointSucceeded: boolean | null;
};

export type Recorded = {
  /** The outcomes whose claims held. The others are only logged: another dispatcher has claimed the delivery. */
  held: Set<AttemptOutcome>;
  /** How many deliveries waited for these first attempts, and are due now. */
  released: number;
};

/** Records attempts and their results in one transaction. An outcome counts only if its claim still holds. */
export async function recordAttempts(
  db: Database,
  judge: EndpointJudge,
  outcomes: readonly AttemptOutcome[],
): Promise<Recorded> {
  // Every transaction locks deliveries in this order, which prevents deadlocks.
  const inOrder = outcomes.toSorted((a, b) => byPayment(a.delivery, b.delivery));
  return db.transaction().execute(async (trx) => {
    const held = await recordHeld(trx, inOrder);
    for (const outcome of inOrder) if (!held.has(outcome)) await logLate(trx, outcome);
    await judgeEndpoints(trx, judge, inOrder);
    return { held, released: await releaseFollowUps(trx, inOrder) };
  });
}

function byPayment(a: ClaimedDelivery, b: ClaimedDelivery): number {
  if (a.paymentId === b.paymentId) return a.sequence - b.sequence;
  return a.paymentId < b.paymentId ? -1 : 1;
}

async function recordHeld(trx: Queryable, outcomes: readonly AttemptOutcome[]): Promise<Set<AttemptOutcome>> {
  const { rows } = await sql<{ place: number }>`
    with outcome as (
      select * from unnest(
        ${outcomes.map(({ delivery }) => delivery.id)}::uuid[],
        ${outcomes.map(({ delivery }) => delivery.claimedBy)}::uuid[],
        ${outcomes.map(({ delivery }) => delivery.attempt)}::int[], ${outcomes.map(logEntry)}::jsonb[],
        ${outcomes.map(({ state }) => state)}::text[], ${outcomes.map(({ retryInMs }) => retryInMs)}::float8[],
        ${outcomes.map(({ uncounted }) => (uncounted ? 1 : 0))}::int[]
      ) with ordinality as o (id, claimed_by, attempt, log_entry, state, retry_in_ms, uncounted, place)
    )
    update deliveries d set attempted = true, state = o.state, claimed_by = null,
      attempts_before_redrive = d.attempts_before_redrive + o.uncounted,
      attempt_log = d.attempt_log || o.log_entry, next_attempt_at = now() + o.retry_in_ms * interval '1 millisecond'
    from outcome o
    where d.id = o.id and d.claimed_by = o.claimed_by and d.attempts = o.attempt
    returning o.place::int`.execute(trx);
  return new Set(rows.flatMap(({ place }) => outcomes[place - 1] ?? []));
}

function logEntry({ delivery, attempt }: AttemptOutcome): string {
  return JSON.stringify({ number: delivery.attempt, ...attempt });
}

/** Replaces the entry of an attempt that the next claim logged as lost. */
async function logLate(trx: Queryable, outcome: AttemptOutcome): Promise<void> {
  const { id, attempt } = outcome.delivery;
  await sql`
    update deliveries set attempt_log = (
      select jsonb_agg(entry order by (entry ->> 'number')::int) from (
        select entry from jsonb_array_elements(attempt_log) entry where (entry ->> 'number')::int <> ${attempt}
        union all
        select ${logEntry(outcome)}::jsonb
      ) log
    ) where id = ${id}`.execute(trx);
}

/**
 * Not every event has a delivery: the next one that has is due. A separate statement, to see deliveries that were
 * inserted while the previous one waited for their locks.
 */
async function releaseFollowUps(trx: Queryable, outcomes: readonly AttemptOutcome[]): Promise<number> {
  const paymentIds = outcomes.map(({ delivery }) => delivery.paymentId);
  const sequences = outcomes.map(({ delivery }) => delivery.sequence);
  const { numAffectedRows } = await sql`
    update deliveries d set next_attempt_at = now()
    where id = any(array(
      select following.id from unnest(${paymentIds}::uuid[], ${sequences}::int[]) as attempted (payment_id, sequence),
      lateral (
        select e.id from events e
        where e.payment_id = attempted.payment_id and e.sequence > attempted.sequence
          and (select true from deliveries where deliveries.id = e.id)
        order by e.sequence limit 1
      ) following
    )) and not attempted and next_attempt_at is null`.execute(trx);
  return Number(numAffectedRows ?? 0);
}
