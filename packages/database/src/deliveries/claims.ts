import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { type ClaimBounds, freeSlots, isDue, isLeftAlone, isToAttempt } from './claim-bounds.ts';
import {
  type ClaimedDelivery,
  type ClaimRow,
  claimedColumns,
  claimedDetails,
  toClaimed,
} from './claimed-delivery.ts';

// Only what is pending has a next_attempt_at, so that no statement here names the state: where one does, a plan that was
// made while little was pending takes another index than that of the times, and reads all that is not due yet. Whether
// a row that is known is still due is asked `is true`, which no plan takes for a reason to read all that is due.

/** What `claim` takes of a delivery. */
const toClaim = sql.raw(`id, attempts, claim_id, claimed_at, last_number, last_started_at, last_duration_ms,
  last_status_code, last_stage, last_error, last_response_excerpt`);

/** How far into the queue of due deliveries the first look goes. */
const windowOf = (limit: number) => limit * 4 + 64;

/**
 * Claims up to `limit` due deliveries, oldest first, from the head of the queue; `claimBehindBacklog` looks further.
 *
 * The lease is a column that no index holds: a claim writes no entry of an index, and a process that dies leaves a row
 * that is due again as soon as its lease ends. The attempt is counted now, so that one that keeps killing its process
 * ends too; the attempt before is entered among the attempts, as lost where its claim never came back. What was lost once goes behind
 * what is due by now, should it be lost again.
 */
export async function claimDueDeliveries(db: Queryable, bounds: ClaimBounds): Promise<ClaimedDelivery[]> {
  const { limit } = bounds;
  const oldest = sql`
    select ${toClaim} from deliveries d
    where d.id = any(array(
      select id from (
        select id, endpoint, next_attempt_at,
          row_number() over (partition by endpoint order by next_attempt_at) as place
        from (
          select id, endpoint, next_attempt_at from deliveries
          where ${isDue()}
          order by next_attempt_at limit ${windowOf(limit)}
        ) head
        where not ${isLeftAlone(bounds, 'head')}
      ) ranked
      where place <= ${freeSlots(bounds, 'ranked')} order by next_attempt_at limit ${limit}
    )) and (${isDue('d')}) is true
    for update skip locked`;
  return claim(db, oldest, bounds.leaseMs);
}

/**
 * Where busy or failing endpoints fill the head of the queue: goes on endpoint by endpoint, so that no backlog hides
 * what is behind it. Worth a call now and then while `claimDueDeliveries` finds less than it could take.
 */
export async function claimBehindBacklog(db: Queryable, bounds: ClaimBounds): Promise<ClaimedDelivery[]> {
  return (await isQueueLong(db, bounds.limit)) ? claimByEndpoint(db, bounds) : [];
}

async function isQueueLong(db: Queryable, limit: number): Promise<boolean> {
  const { rows } = await sql<{ due: number }>`
    select count(*)::int as due from (select from deliveries where ${isDue()}
      order by next_attempt_at limit ${windowOf(limit)}) head`.execute(db);
  return rows[0]?.due === windowOf(limit);
}

/** Visits endpoints with pending deliveries one after another by index, from a random one on, a few deliveries each. */
async function claimByEndpoint(db: Queryable, bounds: ClaimBounds): Promise<ClaimedDelivery[]> {
  const { limit, leaseMs } = bounds;
  const start = randomUUID();
  const visit = (from: string, to: string, atMost: number) => sql`
    with recursive turn as (
      select ${nextEndpoint(sql`${from}::uuid`)} as endpoint
      union all
      select ${nextEndpoint(sql`turn.endpoint`)} from turn where turn.endpoint < ${to}::uuid
    )
    select due.* from turn, lateral (
      select ${toClaim} from deliveries
      where endpoint = turn.endpoint and ${isToAttempt} and ${isDue()}
      order by next_attempt_at limit ${freeSlots(bounds, 'turn')} for update skip locked
    ) due
    where not ${isLeftAlone(bounds, 'turn')}
    limit ${atMost}`;
  const claimed = await claim(db, visit(start, lastUuid, limit), leaseMs);
  if (claimed.length >= limit) return claimed;
  const rest = claim(db, visit(firstUuid, start, limit - claimed.length), leaseMs);
  // What is claimed is to be attempted, whatever becomes of the rest.
  return claimed.length === 0 ? rest : [...claimed, ...(await rest.catch(() => []))];
}

/** The next endpoint after this one that has deliveries to attempt: a step along the index. */
const nextEndpoint = (after: RawBuilder<unknown>) => sql`(
  select endpoint from deliveries where ${isToAttempt} and endpoint > ${after} order by endpoint limit 1)`;

const firstUuid = '00000000-0000-0000-0000-000000000000';
const lastUuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Claims one delivery of each endpoint whose rest is over: the probe that says whether it works again. An endpoint
 * with nothing due stays as it is, so that the next delivery that falls due is probed with at once.
 */
export async function claimProbes(
  db: Queryable,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<ClaimedDelivery[]> {
  // The rest is renewed as the probe is claimed, so that no other replica probes beside it.
  const rested = sql`
    rested as (
      select id from failing_endpoints f where open_until <= now()
        and exists (select from deliveries
          where endpoint = f.id and ${isToAttempt} and ${isDue()} offset 0)
      order by open_until limit ${limit} for update skip locked
    ), probed as (
      update failing_endpoints f set phase = 'half-open', open_until = now() + ${leaseMs} * interval '1 millisecond'
      from rested where f.id = rested.id
    ),`;
  const probes = sql`
    select due.* from rested, lateral (
      select ${toClaim} from deliveries
      where endpoint = rested.id and ${isToAttempt} and ${isDue()}
      order by next_attempt_at limit 1 for update skip locked
    ) due`;
  return claim(db, probes, leaseMs, rested);
}

/**
 * @param due selects the deliveries to claim, locked
 * @param before what a probe's `due` builds on: more of the `with` list
 */
async function claim(
  db: Queryable,
  due: RawBuilder<unknown>,
  leaseMs: number,
  before?: RawBuilder<unknown>,
): Promise<ClaimedDelivery[]> {
  const claimId = randomUUID();
  const { rows } = await sql<ClaimRow>`
    with ${before ?? sql``} due as materialized (${due}), past as (
      insert into attempts (delivery_id, number, started_at, duration_ms, status_code, stage, error, response_excerpt)
      select id, last_number, last_started_at, last_duration_ms, last_status_code, last_stage, last_error,
        last_response_excerpt
      from due where last_number is not null
      union all
      select id, attempts, claimed_at, null, null, 'lost', 'the process that made this attempt disappeared', null
      from due where claim_id is not null
      on conflict (delivery_id, number) do update set started_at = excluded.started_at,
        duration_ms = excluded.duration_ms, status_code = excluded.status_code, stage = excluded.stage,
        error = excluded.error, response_excerpt = excluded.response_excerpt
        where excluded.stage is distinct from 'lost'
    ), claimed as (
      update deliveries d set claim_id = ${claimId}, claimed_at = now(), attempts = d.attempts + 1, last_number = null,
        leased_until = now() + ${leaseMs} * interval '1 millisecond',
        next_attempt_at = case when d.claim_id is null then d.next_attempt_at else now() end
      where d.id = any(array(select id from due))
      returning ${claimedColumns('d')}
    )
    ${claimedDetails}`.execute(db);
  return rows.map((row) => toClaimed(row, before !== undefined));
}
