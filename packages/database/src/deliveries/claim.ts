import type { WebhookContent } from '@payments/domain/events';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { run } from '../run.ts';
import type { DueDelivery } from './due.ts';
import { isDue, isLeased } from './leases.ts';

/** A delivery that one dispatcher alone may attempt while its lease runs, with the content that was committed. */
export type ClaimedDelivery = WebhookContent & {
  id: string;
  claimedBy: string;
  paymentId: string;
  storeId: string;
  /** The event's number within its payment. */
  sequence: number;
  url: string;
  /** The id of the endpoint: a store's URL without its query. */
  endpoint: string;
  /** The number of this attempt, from 1. Together with `claimedBy` it fences the record. */
  attempt: number;
  /** The attempts of the present retry schedule, including this one. A redrive restarts the schedule. */
  scheduledAttempt: number;
  /** True if it probes an endpoint whose circuit is open. */
  probe: boolean;
  createdAt: Date;
  requestId: string | null;
  /** The W3C `traceparent` of the event's cause, if it was traced. */
  traceParent: string | null;
  secret: string;
  /** The secret before a rotation, while it still signs. */
  previousSecret: string | null;
};

export type Claim = {
  dispatcherId: string;
  deliveries: readonly DueDelivery[];
  /** How long until another probe may follow: longer than an attempt can take. */
  probeMs: number;
};

const lostAttempt = `jsonb_build_object('number', d.attempts, 'startedAt', d.claimed_at, 'durationMs', null,
  'statusCode', null, 'error', jsonb_build_object('stage', 'lost', 'code', 'lost'), 'responseExcerpt', null)`;

/**
 * @returns SQL: the log of a delivery `d` with one more entry. It keeps the newest 50: a delivery can be sent again for ever,
 *   and each attempt writes the whole log anew
 */
export const withEntry = (entry: string) =>
  `(case when jsonb_array_length(d.attempt_log) < 50 then d.attempt_log else d.attempt_log - 0 end || ${entry})`;

// PostgreSQL is to find the rows by their ids: `is true` below keeps it from reading all that is due by the index of due
// times, and the subselects hide from it how long the lists are. If it knew the length, it would plan every claim anew,
// which takes longer than the claim.
const [given, probes] = ['(select $1::uuid[])::uuid[]', '(select $2::uuid[])::uuid[]'];

/**
 * Claims the deliveries $1, read with the numbers of attempts $5, for a dispatcher ($3). The endpoints $2 are probed: the
 * next probe may follow after $4 ms.
 *
 * Another dispatcher may begin its lease and claim a row after this statement's snapshot. The row then shows its new
 * claimer, but the snapshot knows nothing of that lease: only the number of attempts tells that the row is taken.
 *
 * `limit cardinality($1)` never cuts anything off. It makes the planner expect a single row, as in a record (record.ts).
 */
const claiming = `
  with rested as (
    select id from failing_endpoints where id = any(${probes}) and open_until <= now()
    order by id for update skip locked
  ), probed as (
    update failing_endpoints f set open_until = now() + $4::float8 * interval '1 millisecond'
    from rested where f.id = rested.id
    returning f.id
  ), due as materialized (
    select id from deliveries d
    where id = any(${given}) and ${isDue('d')} is true and ${isLeased('$3::uuid')}
      and d.attempts = ($5::int[])[array_position($1::uuid[], d.id)]
      and (endpoint <> all(${probes}) or endpoint in (select id from probed))
    for update skip locked limit cardinality($1)
  ), claimed as (
    update deliveries d set claimed_by = $3, claimed_at = now(), attempts = d.attempts + 1,
      attempt_log = case when claimed_by is null then attempt_log else ${withEntry(lostAttempt)} end,
      next_attempt_at = case when claimed_by is null then next_attempt_at else now() end
    from due where d.id = due.id
    returning d.*
  )
  select c.id, c.claimed_by, c.payment_id, c.store_id, c.sequence, c.url,
    c.endpoint, c.attempts as attempt, c.attempts - c.attempts_before_redrive as scheduled_attempt,
    c.endpoint = any(${probes}) as probe, c.created_at, c.request_id, e.trace_parent,
    e.type, e.payload::text as payment, e.previous_status, e.previous::text, e.refund::text,
    s.webhook_secret as secret,
    case when s.previous_webhook_secret_until > now() then s.previous_webhook_secret end as previous_secret
  from claimed c join events e on e.id = c.id join stores s on s.id = c.store_id`;

/**
 * Claims due deliveries that no other dispatcher holds, while this dispatcher's lease runs.
 *
 * The claim counts the attempt, so a delivery that keeps killing its dispatcher ends, too. If a dispatcher disappeared,
 * its attempt is logged as lost, and its delivery goes to the end of the queue.
 */
export async function claimDeliveries(db: Queryable, claim: Claim): Promise<ClaimedDelivery[]> {
  const { dispatcherId, deliveries, probeMs } = claim;
  if (deliveries.length === 0) return [];
  const ids = deliveries.map(({ id }) => id);
  const toProbe = deliveries.filter(({ circuit }) => circuit === 'to-probe').map(({ endpoint }) => endpoint);
  const attempts = deliveries.map((delivery) => delivery.attempts);
  return run<ClaimedDelivery>(db, claiming, [ids, toProbe, dispatcherId, probeMs, attempts]);
}

/** Releases a claim whose attempt can't be recorded: the delivery is due again after `restMs`. */
export async function releaseClaim(
  db: Queryable,
  { id, claimedBy, attempt }: ClaimedDelivery,
  restMs: number,
): Promise<void> {
  await sql`
    update deliveries set claimed_by = null, next_attempt_at = now() + ${restMs} * interval '1 millisecond'
    where id = ${id} and claimed_by = ${claimedBy} and attempts = ${attempt}`.execute(db);
}
