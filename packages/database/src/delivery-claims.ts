import { randomUUID } from 'node:crypto';
import type { EventType } from '@payments/domain/events';
import type { PaymentView } from '@payments/domain/payment';
import type { PaymentStatus } from '@payments/domain/status';
import { type RawBuilder, sql } from 'kysely';
import type { Database, Queryable } from './connection.ts';
import { recordEndpoint } from './failing-endpoints.ts';
import type { DeliveryState } from './schema.ts';

/** A delivery that this process alone may attempt until its lease ends. */
export type ClaimedDelivery = {
  id: string;
  claimId: string;
  paymentId: string;
  storeId: string;
  sequence: number;
  url: string;
  /** What counts as one receiver. */
  endpoint: string;
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
  endpoint: string;
  attempts: number;
  attempts_before_redrive: number;
  request_id: string | null;
  type: EventType;
  payload: PaymentView;
  previous_status: PaymentStatus | null;
  secrets: string[];
};

export type ClaimBounds = {
  limit: number;
  leaseMs: number;
  /** How many more attempts an endpoint may have under way; those not named may have `perEndpoint`. */
  free: ReadonlyMap<string, number>;
  perEndpoint: number;
};

/** How far into the queue of due deliveries the first look goes. */
const windowOf = (limit: number) => limit * 4 + 64;

/**
 * Claims up to `limit` due deliveries, oldest first. Where busy or failing endpoints fill the head of the queue,
 * goes on endpoint by endpoint, so that no backlog hides what is behind it.
 *
 * The lease is the row's own `next_attempt_at`: a process that dies leaves a row that simply falls due again. The
 * attempt is counted now, so that one that keeps killing its process ends too; an earlier claim that never came back
 * is entered among the attempts as lost.
 */
export async function claimDueDeliveries(db: Queryable, bounds: ClaimBounds): Promise<ClaimedDelivery[]> {
  const { limit } = bounds;
  const oldest = sql`
    select d.id, d.attempts, d.claim_id, d.claimed_at from deliveries d
    where d.id in (
      select id from (
        select id, endpoint, next_attempt_at,
          row_number() over (partition by endpoint order by next_attempt_at) as place
        from (
          select id, endpoint, next_attempt_at from deliveries
          where state = 'pending' and next_attempt_at <= now()
          order by next_attempt_at limit ${windowOf(limit)}
        ) head
        where not exists (select from failing_endpoints f where f.id = head.endpoint and f.open_until is not null)
      ) ranked
      where place <= ${freeSlots(bounds, 'ranked')} order by next_attempt_at limit ${limit}
    ) and d.state = 'pending' and d.next_attempt_at <= now()
    for update skip locked`;
  const claimed = await claim(db, oldest, bounds.leaseMs);
  if (claimed.length >= limit || !(await isQueueLong(db, limit))) return claimed;
  const rest = { ...bounds, limit: limit - claimed.length };
  return [...claimed, ...(await claimByEndpoint(db, rest, claimed))];
}

/** The slots that an endpoint still has, as SQL: looked up by position, so that the statement's text never changes. */
function freeSlots({ free, perEndpoint }: ClaimBounds, row: string): RawBuilder<number> {
  const endpoints = [...free.keys()];
  const slots = [...free.values()];
  return sql<number>`coalesce((${slots}::int[])[array_position(${endpoints}::uuid[], ${sql.ref(`${row}.endpoint`)})],
    ${perEndpoint})`;
}

async function isQueueLong(db: Queryable, limit: number): Promise<boolean> {
  const { rows } = await sql<{ due: number }>`
    select count(*)::int as due from (select from deliveries where state = 'pending' and next_attempt_at <= now()
      limit ${windowOf(limit)}) head`.execute(db);
  return rows[0]?.due === windowOf(limit);
}

/** Visits endpoints with pending deliveries one after another by index, from a random one on, a few deliveries each. */
async function claimByEndpoint(
  db: Queryable,
  bounds: ClaimBounds,
  taken: readonly ClaimedDelivery[],
): Promise<ClaimedDelivery[]> {
  const { limit, leaseMs } = bounds;
  const passed = [...new Set(taken.map((delivery) => delivery.endpoint))];
  const start = randomUUID();
  const visit = (from: string, to: string) => sql`
    with recursive turn as (
      select min_endpoint(${from}::uuid) as endpoint
      union all
      select min_endpoint(turn.endpoint) from turn where turn.endpoint < ${to}::uuid
    )
    select due.* from turn, lateral (
      select id, attempts, claim_id, claimed_at from deliveries
      where state = 'pending' and endpoint = turn.endpoint and next_attempt_at <= now()
      order by next_attempt_at limit ${freeSlots(bounds, 'turn')} for update skip locked
    ) due
    where turn.endpoint <> all(${passed}::uuid[])
      and not exists (select from failing_endpoints f where f.id = turn.endpoint and f.open_until is not null)
    limit ${limit}`;
  const claimed = await claim(db, visit(start, lastUuid), leaseMs);
  if (claimed.length >= limit) return claimed;
  return [...claimed, ...(await claim(db, visit(firstUuid, start), leaseMs))];
}

const firstUuid = '00000000-0000-0000-0000-000000000000';
const lastUuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Claims one delivery of each endpoint whose rest is over: the probe that says whether it works again. */
export async function claimProbes(
  db: Queryable,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<ClaimedDelivery[]> {
  // The rest is renewed as the probe is claimed, so that no other replica probes beside it.
  const rested = sql`
    rested as (
      select id from failing_endpoints where open_until <= now()
      order by open_until limit ${limit} for update skip locked
    ), probed as (
      update failing_endpoints f set open_until = now() + ${leaseMs} * interval '1 millisecond'
      from rested where f.id = rested.id
    ),`;
  const probes = sql`
    select due.* from rested, lateral (
      select id, attempts, claim_id, claimed_at from deliveries
      where state = 'pending' and endpoint = rested.id and next_attempt_at <= now()
      order by next_attempt_at limit 1 for update skip locked
    ) due`;
  return claim(db, probes, leaseMs, rested);
}

/**
 * @param due selects the deliveries to claim, locked
 * @param before what `due` builds on: more of the `with` list
 */
async function claim(
  db: Queryable,
  due: RawBuilder<unknown>,
  leaseMs: number,
  before: RawBuilder<unknown> = sql``,
): Promise<ClaimedDelivery[]> {
  const claimId = randomUUID();
  const { rows } = await sql<ClaimRow>`
    with ${before} due as materialized (${due}), lost as (
      insert into attempts (delivery_id, number, started_at, stage, error)
      select id, attempts, claimed_at, 'lost', 'the process that made this attempt disappeared'
      from due where claim_id is not null
      on conflict do nothing
    ), claimed as (
      update deliveries d set claim_id = ${claimId}, claimed_at = now(), attempts = d.attempts + 1,
        next_attempt_at = now() + ${leaseMs} * interval '1 millisecond'
      from due where d.id = due.id
      returning d.id, d.payment_id, d.store_id, d.sequence, d.url, d.endpoint, d.attempts,
        d.attempts_before_redrive, d.request_id
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
    endpoint: row.endpoint,
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
  /** How long an endpoint that fails is then left alone, by its failures in a row; null: not yet. */
  restMs: (failures: number) => number | null;
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
    await recordEndpoint(trx, delivery, record);
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
