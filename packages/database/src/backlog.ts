import { sql } from 'kysely';
import { isDue } from './claim-bounds.ts';
import type { Database } from './connection.ts';

/** What waits, how much of it and since when; times are null where nothing waits. */
export type Backlog = {
  eventsUnpublished: number;
  eventsUnpublishedSince: Date | null;
  /** Committed, and not yet seen by the ledger of deliveries. */
  eventsUnledgeredSince: Date | null;
  deliveriesPending: number;
  deliveriesDue: number;
  /** Of those whose receiver is not being left alone. */
  deliveriesDueSince: Date | null;
  deliveriesDead: number;
  chargesUnregistered: number;
  chargesUnregisteredSince: Date | null;
  reviewsWaiting: number;
  reviewsWaitingSince: Date | null;
  refundsUnfinished: number;
  refundsUnfinishedSince: Date | null;
  refundsFailed: number;
  /** Failed refunds of money that should have gone back, with no other refund of the same Pix in their place. */
  refundsOwed: number;
  endpointsFailing: number;
  endpointsOpen: number;
  endpointsHalfOpen: number;
  /** Left alone, and failing for longer than `parkedAfterMs`. */
  endpointsParked: number;
};

/** More than this is not counted. */
const countedAtMost = 10_000;
const headOfQueue = 1_000;

const countUpTo = (rows: ReturnType<typeof sql>) =>
  sql`(select count(*)::int from (${rows} limit ${countedAtMost}) counted)`;

/**
 * Reads all of it in one statement: by partial indexes that hold only what waits, never further than a bound (and past
 * attempts that are under way), for no longer than `timeoutMs`.
 * @throws DatabaseUnavailable; the driver's error when it took too long
 */
export async function readBacklog(
  db: Database,
  { timeoutMs, parkedAfterMs, now }: { timeoutMs: number; parkedAfterMs: number; now: Date },
): Promise<Backlog> {
  const parkedSince = new Date(now.getTime() - parkedAfterMs);
  return db.transaction().execute(async (trx) => {
    await sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`.execute(trx);
    const { rows } = await sql<Backlog>`
      select ${events}, ${deliveries}, ${payments}, ${refunds}, endpoints.*
      from (
        select count(*)::int as "endpointsFailing",
          count(*) filter (where phase = 'open')::int as "endpointsOpen",
          count(*) filter (where phase = 'half-open')::int as "endpointsHalfOpen",
          count(*) filter (where phase <> 'closed' and failing_since < ${parkedSince})::int as "endpointsParked"
        from (select phase, failing_since from failing_endpoints limit ${countedAtMost}) counted
      ) endpoints`.execute(trx);
    return rows[0]!;
  });
}

const events = sql`
  ${countUpTo(sql`select from outbox`)} as "eventsUnpublished",
  (select occurred_at from events where id = (select event_id from outbox order by event_id limit 1)) as "eventsUnpublishedSince",
  (select min(occurred_at) from events where ledgered_at is null) as "eventsUnledgeredSince"`;

const deliveries = sql`
  ${countUpTo(sql`select from deliveries where state = 'pending'`)} as "deliveriesPending",
  ${countUpTo(sql`select from deliveries where ${isDue()} order by next_attempt_at`)} as "deliveriesDue",
  (select min(next_attempt_at) from (
    select endpoint, next_attempt_at from deliveries where ${isDue()}
    order by next_attempt_at limit ${headOfQueue}
  ) head where not exists (
    select from failing_endpoints f where f.id = head.endpoint and f.open_until is not null offset 0
  )) as "deliveriesDueSince",
  ${countUpTo(sql`select from deliveries where state = 'dead'`)} as "deliveriesDead"`;

// Of a charge that waits, charge_try_at moves on with every try; when it began is the payment's creation.
const payments = sql`
  ${countUpTo(sql`select from payments where charge_try_at is not null`)} as "chargesUnregistered",
  (select min(created_at) from (
    select created_at from payments where charge_try_at is not null order by charge_try_at limit ${headOfQueue}
  ) head) as "chargesUnregisteredSince",
  ${countUpTo(sql`select from payments where review_since is not null`)} as "reviewsWaiting",
  (select min(review_since) from payments where review_since is not null) as "reviewsWaitingSince"`;

// Money is owed unless the payment that it was received for has been approved after all, or all of it is on its way back;
// a bank may have taken back a part by itself (MED).
const refunds = sql`
  ${countUpTo(sql`select from refunds where state <> 'refunded' and state <> 'failed'`)} as "refundsUnfinished",
  (select min(created_at) from (
    select created_at from refunds where state in ('requested', 'processing') and state <> 'refunded'
    limit ${countedAtMost}
  ) head) as "refundsUnfinishedSince",
  ${countUpTo(sql`select from refunds where state = 'failed' and state <> 'refunded'`)} as "refundsFailed",
  (select count(distinct failed.end_to_end_id)::int from (
    select payment_id, end_to_end_id from refunds
    where state = 'failed' and state <> 'refunded' and origin = 'service' limit ${headOfQueue}
  ) failed, lateral (select status from payments where id = failed.payment_id limit 1) p,
    lateral (select effect, amount from pix_received where end_to_end_id = failed.end_to_end_id limit 1) received
    where (received.effect = 'refund' or p.status in ('review', 'not_approved'))
      and received.amount > (select coalesce(sum(other.amount), 0) from refunds other
        where other.end_to_end_id = failed.end_to_end_id and other.state <> 'failed')
  ) as "refundsOwed"`;
