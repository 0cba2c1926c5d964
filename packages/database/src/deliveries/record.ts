import { sql } from 'kysely';
import type { Database, Queryable } from '../connection.ts';
import type { DeliveryState, LoggedAttempt } from '../schema.ts';
import type { ClaimedDelivery } from './claim.ts';
import { type EndpointJudge, judgeEndpoints } from './endpoints.ts';

/** One attempt: what the delivery's log keeps of it. */
export type Attempt = Omit<LoggedAttempt, 'startedAt'> & { startedAt: Date };

/** A finished attempt, and what becomes of its delivery and its endpoint. */
export type AttemptOutcome = {
  delivery: ClaimedDelivery;
  /** `stage` says where it failed; null where the endpoint responded. */
  attempt: Omit<Attempt, 'number'> & { durationMs: number };
  state: DeliveryState;
  /** For `pending`: how long until the next attempt. */
  retryInMs: number | null;
  /** Null says nothing of the endpoint. */
  endpointSucceeded: boolean | null;
};

export type Recorded = {
  /** The outcomes whose claims held. Of the others only the attempt is logged: another dispatcher has claimed since. */
  held: Set<AttemptOutcome>;
  /** How many deliveries waited for these first attempts, and are due now. */
  released: number;
};

/** Records attempts and what follows from them, in one transaction; each outcome counts only if its claim still holds. */
export async function recordAttempts(
  db: Database,
  judge: EndpointJudge,
  outcomes: readonly AttemptOutcome[],
): Promise<Recorded> {
  // Deliveries are locked in this order everywhere, so that two transactions never wait in a circle.
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
        ${outcomes.map(({ state }) => state)}::text[], ${outcomes.map(({ retryInMs }) => retryInMs)}::float8[]
      ) with ordinality as o (id, claimed_by, attempt, log_entry, state, retry_in_ms, place)
    )
    update deliveries d set attempted = true, state = o.state, claimed_by = null,
      attempt_log = d.attempt_log || o.log_entry, next_attempt_at = now() + o.retry_in_ms * interval '1 millisecond'
    from outcome o
    where d.id = o.id and d.claimed_by = o.claimed_by and d.attempts = o.attempt
    returning o.place::int`.execute(trx);
  return new Set(rows.flatMap(({ place }) => outcomes[place - 1] ?? []));
}

function logEntry({ delivery, attempt }: AttemptOutcome): string {
  return JSON.stringify({ number: delivery.attempt, ...attempt });
}

/** In its place in the log, where the next claim has logged it as lost. */
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

/** A statement of its own: it must see deliveries that were inserted while the one before waited for their locks. */
async function releaseFollowUps(trx: Queryable, outcomes: readonly AttemptOutcome[]): Promise<number> {
  const paymentIds = outcomes.map(({ delivery }) => delivery.paymentId);
  const sequences = outcomes.map(({ delivery }) => delivery.sequence + 1);
  const { numAffectedRows } = await sql`
    update deliveries d set next_attempt_at = now()
    where id = any(array(
      select following.id from unnest(${paymentIds}::uuid[], ${sequences}::int[]) as next (payment_id, sequence)
      join events following on following.payment_id = next.payment_id and following.sequence = next.sequence
    )) and not attempted and next_attempt_at is null`.execute(trx);
  return Number(numAffectedRows ?? 0);
}
