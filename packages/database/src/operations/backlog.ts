import { sql } from 'kysely';
import type { Database } from '../connection.ts';
import { isDue } from '../deliveries/leases.ts';

/** What waits, how much of it and since when; times are null where nothing waits. */
export type Backlog = {
  eventsUnpublished: number;
  eventsUnpublishedSince: Date | null;
  deliveriesPending: number;
  deliveriesDue: number;
  /** Of those whose endpoint's circuit is closed. */
  deliveriesDueSince: Date | null;
  deliveriesDead: number;
  chargesUnregistered: number;
  chargesUnregisteredSince: Date | null;
  reviewsWaiting: number;
  reviewsWaitingSince: Date | null;
  refundsUnfinished: number;
  refundsUnfinishedSince: Date | null;
  refundsFailed: number;
  /** Refused so often that a person must act. */
  refundsOwed: number;
  /** The sum that these are short of, in centavos. */
  refundsOwedAmount: number;
  /** Refused, and to be ordered anew by the service. */
  refundsToOrderAgain: number;
  /** The bank is taking money back by itself (MED). */
  bankReturnsUnderWay: number;
  /** Returns that the bank started by itself (MED) and that the service learned of in the last 24 hours. */
  bankReturnsLastDay: number;
  /** The part of these that concerns payments in or after their withdrawal. */
  bankReturnsAfterPayout: number;
  /** Pix that fit no payment. */
  pixUnmatched: number;
  /** Charges that can't be settled, and are tried again. */
  chargesSetAside: number;
  /** Charges that can't be closed or cancelled, and are tried again. */
  chargesStuck: number;
  chargeProblemsSince: Date | null;
  endpointsFailing: number;
  /** With an open circuit. */
  endpointsOpen: number;
  /** Of those, what has failed for longer than `parkedAfterMs`. */
  endpointsParked: number;
};

const dayMs = 24 * 60 * 60_000;
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
  const dayAgo = new Date(now.getTime() - dayMs);
  return db.transaction().execute(async (trx) => {
    await sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`.execute(trx);
    const { rows } = await sql<Backlog>`
      select ${events}, ${deliveries}, ${payments}, ${refunds}, ${unmatchedPix}, bank_returns.*, charge_problems.*, endpoints.*
      from (${bankReturnsSince(dayAgo)}) bank_returns, (${chargeProblems}) charge_problems, (
        select count(*)::int as "endpointsFailing",
          count(open_until)::int as "endpointsOpen",
          count(open_until) filter (where failing_since < ${parkedSince})::int as "endpointsParked"
        from (select open_until, failing_since from failing_endpoints limit ${countedAtMost}) counted
      ) endpoints`.execute(trx);
    return rows[0]!;
  });
}

const events = sql`
  ${countUpTo(sql`select from outbox`)} as "eventsUnpublished",
  (select occurred_at from events where id = (select event_id from outbox order by event_id limit 1)) as "eventsUnpublishedSince"`;

const deliveries = sql`
  ${countUpTo(sql`select from deliveries where state = 'pending'`)} as "deliveriesPending",
  ${countUpTo(sql`select from deliveries d where ${isDue('d')} order by next_attempt_at`)} as "deliveriesDue",
  (select min(next_attempt_at) from (
    select endpoint, next_attempt_at from deliveries d where ${isDue('d')}
    order by next_attempt_at limit ${headOfQueue}
  ) head where not exists (
    select from failing_endpoints f where f.id = head.endpoint and f.open_until is not null
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

const refunds = sql`
  ${countUpTo(sql`select from refunds where state <> 'refunded' and state <> 'failed'`)} as "refundsUnfinished",
  (select min(created_at) from (
    select created_at from refunds where state in ('requested', 'processing') and state <> 'refunded'
    limit ${countedAtMost}
  ) head) as "refundsUnfinishedSince",
  ${countUpTo(sql`select from refunds where state = 'failed' and state <> 'refunded'`)} as "refundsFailed",
  ${countUpTo(sql`select from refunds where owed is not null`)} as "refundsOwed",
  (select coalesce(sum(owed), 0)::bigint from (
    select owed from refunds where owed is not null limit ${countedAtMost}
  ) counted) as "refundsOwedAmount",
  ${countUpTo(sql`select from refunds where order_again_at is not null`)} as "refundsToOrderAgain",
  ${countUpTo(sql`
    select from refunds
    where origin = 'bank' and state <> 'refunded' and state <> 'failed'`)} as "bankReturnsUnderWay"`;

const unmatchedPix = sql`
  ${countUpTo(sql`select from pix_received where unmatched <> 'returned' order by received_at`)} as "pixUnmatched"`;

const bankReturnsSince = (since: Date) => sql`
  select count(*)::int as "bankReturnsLastDay",
    count(*) filter (where status in ('withdrawal_processing', 'receipt_sent', 'rejected'))::int as "bankReturnsAfterPayout"
  from (
    select (select status from payments where id = payment_id) as status from refunds
    where origin = 'bank' and state <> 'failed' and created_at > ${since} limit ${countedAtMost}
  ) counted`;

const chargeProblems = sql`
  select count(*) filter (where work = 'settle')::int as "chargesSetAside",
    count(*) filter (where work <> 'settle')::int as "chargesStuck", min(since) as "chargeProblemsSince"
  from (select work, since from charge_problems order by since, txid limit ${countedAtMost}) counted`;
