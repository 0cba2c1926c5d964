import { sql } from 'kysely';
import { lockWait, waitingBriefly } from '../batching.ts';
import type { Database, Queryable } from '../connection.ts';
import { run } from '../run.ts';
import type { DeliveryState, LoggedAttempt } from '../schema.ts';
import { type ClaimedDelivery, withEntry } from './claim.ts';
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
  /** The outcomes whose claims held. */
  held: Set<AttemptOutcome>;
  /** How many deliveries waited for these first attempts, and are due now. */
  released: number;
  /** The others: another dispatcher has claimed the delivery, so they are only logged. */
  late: readonly AttemptOutcome[];
  /** The outcomes that may change what is known of an endpoint. A healthy one that answers has nothing to judge. */
  toJudge: readonly AttemptOutcome[];
};

/**
 * Records attempts and their results, and releases what waited for them, in one statement. An outcome counts only if its
 * claim still holds. {@link concludeAttempts} does what is left.
 */
export async function recordAttempts(db: Queryable, outcomes: readonly AttemptOutcome[]): Promise<Recorded> {
  // Every transaction locks deliveries in this order, which prevents deadlocks.
  const inOrder = outcomes.toSorted((a, b) => byPayment(a.delivery, b.delivery));
  const { places, released, ailing } = await recordHeld(db, inOrder);
  const held = new Set(places.map((place) => inOrder[place - 1] as AttemptOutcome));
  const late = inOrder.filter((outcome) => !held.has(outcome));
  const isTelling = ailing || inOrder.some(({ endpointSucceeded }) => endpointSucceeded === false);
  return { held, released, late, toJudge: isTelling ? inOrder : [] };
}

/**
 * Logs the attempts that were late, and judges endpoints. A process that dies before this loses the verdicts: until an
 * endpoint's next attempt, a failing one counts one failure less, and a recovered one still shows as failing.
 */
export async function concludeAttempts(
  db: Database,
  judge: EndpointJudge,
  { late, toJudge }: Recorded,
): Promise<void> {
  if (late.length + toJudge.length === 0) return;
  await db.transaction().execute(async (trx) => {
    for (const outcome of late) await logLate(trx, outcome);
    await judgeEndpoints(trx, judge, toJudge);
  });
}

function byPayment(a: ClaimedDelivery, b: ClaimedDelivery): number {
  if (a.paymentId === b.paymentId) return a.sequence - b.sequence;
  return a.paymentId < b.paymentId ? -1 : 1;
}

/** `places`: of the outcomes whose claims held, from 1. `ailing`: one of the endpoints has a row. */
type Recording = { places: number[]; released: number; ailing: boolean };

/** @returns SQL: an attempt's entry as a delivery's log may keep it (see `deliveries` in the migration) */
function kept(delivery: string, entry: string): string {
  return `case when ${delivery}.keeps_responses then ${entry} else ${entry} || '{"responseExcerpt": null}' end`;
}

/**
 * Records outcomes, and makes due what waited for them: the next event of the payment that has a delivery, since not every
 * event has one. `release_following` looks for it once this statement has locked the rows of the attempts, so it also sees
 * a delivery that was inserted while the statement waited for them.
 *
 * `limit cardinality($1)` never cuts anything off. It makes the planner expect a single outcome, so that it finds rows by
 * index, even with a plan from the time when the table was small. Without the limit, it would plan every record anew, which
 * takes longer than the record.
 */
const recording = `
  with outcome as (
    select * from unnest($1::uuid[], $2::uuid[], $3::int[], $4::jsonb[], $5::text[], $6::float8[], $7::int[])
      with ordinality as o (id, claimed_by, attempt, log_entry, state, retry_in_ms, uncounted, place)
    where ${waitingBriefly('$9')}
    limit cardinality($1)
  ), recorded as (
    update deliveries d set attempted = true, state = o.state, claimed_by = null,
      attempts_before_redrive = d.attempts_before_redrive + o.uncounted,
      attempt_log = ${withEntry(kept('d', 'o.log_entry'))}, next_attempt_at = now() + o.retry_in_ms * interval '1 millisecond'
    from outcome o
    where d.id = o.id and d.claimed_by = o.claimed_by and d.attempts = o.attempt
    returning o.place::int, d.payment_id, d.sequence
  ), held as (
    select array_agg(place) as places, array_agg(payment_id order by place) as payments,
      array_agg(sequence order by place) as sequences
    from recorded
  )
  select coalesce(places, '{}') as places, release_following(payments, sequences) as released,
    exists (select from failing_endpoints where id = any($8::uuid[])) as ailing
  from held`;

async function recordHeld(db: Queryable, outcomes: readonly AttemptOutcome[]): Promise<Recording> {
  const [recorded] = await run<Recording>(db, recording, [
    outcomes.map(({ delivery }) => delivery.id),
    outcomes.map(({ delivery }) => delivery.claimedBy),
    outcomes.map(({ delivery }) => delivery.attempt),
    outcomes.map(logEntry),
    outcomes.map(({ state }) => state),
    outcomes.map(({ retryInMs }) => retryInMs),
    outcomes.map(({ uncounted }) => (uncounted ? 1 : 0)),
    [...new Set(outcomes.map(({ delivery }) => delivery.endpoint))],
    lockWait(db),
  ]);
  return recorded as Recording;
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
        select ${sql.raw(kept('deliveries', 'made.entry'))} from (select ${logEntry(outcome)}::jsonb as entry) made
      ) log
    ) where id = ${id}`.execute(trx);
}
