import { firstShownDay, listedLateMs } from '@payments/domain/compare-day';
import { paidOutStatuses } from '@payments/domain/status';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from './connection.ts';
import { isDue } from './deliveries/leases.ts';
import { type CountsByStatus, countByStatus } from './payments/counts.ts';
import { leftInReview } from './payments/reviews.ts';
import { isOfKind } from './stores/kinds.ts';

/** Counts and ages of work that waits. A time is null if nothing waits. */
export type Backlog = {
  eventsUnpublished: number;
  eventsUnpublishedSince: Date | null;
  deliveriesPending: number;
  deliveriesDue: number;
  /** The oldest due delivery to an endpoint whose circuit is not open. */
  deliveriesDueSince: Date | null;
  deliveriesDead: number;
  chargesUnregistered: number;
  /** The oldest creation of a payment without a code, or cancellation of one whose charge can still be paid. */
  chargesUnregisteredSince: Date | null;
  /** Payments in review, also those whose time is over while the bank has not accepted their refund. */
  reviewsWaiting: number;
  reviewsWaitingSince: Date | null;
  /** When the review began that times out next. */
  nextReviewSince: Date | null;
  /** What was received and has not gone back, in centavos, of the reviews whose time is not over. */
  reviewsWaitingAmount: number;
  refundsUnfinished: number;
  refundsUnfinishedSince: Date | null;
  refundsFailed: number;
  /** Refunds that the bank refused so often that a person must act. */
  refundsOwed: number;
  /** Their missing sum in centavos. */
  refundsOwedAmount: number;
  /** Refused refunds that the service will order again. */
  refundsToOrderAgain: number;
  /** Returns in progress that began at the bank. */
  bankReturnsUnderWay: number;
  /** Their sum in centavos. */
  bankReturnsUnderWayAmount: number;
  /** Returns that began at the bank and that the service saw in the last 24 hours. */
  bankReturnsLastDay: number;
  /** Those of them of a Pix that counts, for payments in or after their withdrawal: money that the store had. */
  bankReturnsAfterPayout: number;
  /** Pix that fit no payment. */
  pixUnmatched: number;
  /** Their sum less what went back, in centavos. */
  pixUnmatchedAmount: number;
  /** Charges that a bank refuses to register, and that are tried again. */
  chargesRefused: number;
  /** Charges that can't be settled, and are tried again. */
  chargesSetAside: number;
  /** Charges that can't be closed or cancelled, and are tried again. */
  chargesStuck: number;
  chargeProblemsSince: Date | null;
  /** Differences between the banks' books and ours (conciliação), of the days that the calendar shows, once they are over. */
  reconciliationDifferences: number;
  endpointsFailing: number;
  /** Endpoints with an open circuit. */
  endpointsOpen: number;
  /** Those of them that have failed for longer than `parkedAfterMs`. */
  endpointsParked: number;
  /** Mails to people, and posts to the platform's webhook, that were tried in vain. */
  mailsDue: number;
  /** When the oldest of them was made. */
  mailsDueSince: Date | null;
  /** Mails that failed for good in the last 24 hours. */
  mailsFailedLastDay: number;
};

const dayMs = 24 * 60 * 60_000;

/** Large figures are counted up to this. */
export const countedAtMost = 10_000;

// Longer than any read takes, and shorter than a person waits.
const personWaitsMs = 5_000;

/** `test` reads that of test stores; without it, and in the metrics, theirs does not count (Contract: test stores). */
type ReadingOptions = { now: Date; test?: boolean; timeoutMs?: number; parkedAfterMs?: number };

/**
 * Reads the backlog in one statement. Partial indexes hold only what waits, and counts stop at {@link countedAtMost}.
 * @throws DatabaseUnavailable, also after `timeoutMs`; without it, after as long as a person would wait
 */
export async function readBacklog(
  db: Database,
  { now, test = false, timeoutMs = personWaitsMs, parkedAfterMs = 0 }: ReadingOptions,
): Promise<Backlog> {
  const dayAgo = new Date(now.getTime() - dayMs);
  const parkedSince = new Date(now.getTime() - parkedAfterMs);
  return db.transaction().execute(async (trx) => {
    await sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`.execute(trx);
    const { rows } = await sql<Backlog>`
      select * from (${events}) events, (${deliveries(test)}) deliveries, (${payments(test)}) payments,
        (${refunds(test)}) refunds, (${bankReturns(test, dayAgo)}) bank_returns, (${unmatchedPix(test)}) pix,
        (${chargeProblems(test)}) charge_problems, (${reconciliations(test, now)}) reconciliations,
        (${endpoints(test, parkedSince)}) endpoints, (${mails(dayAgo)}) mails`.execute(trx);
    return rows[0]!;
  });
}

const count = (rows: RawBuilder<unknown>) =>
  sql`(select count(*)::int from (${rows} limit ${countedAtMost}) counted)`;

const sumOf = (rows: RawBuilder<unknown>) =>
  sql`(select coalesce(sum(amount), 0)::bigint from (${rows} limit ${countedAtMost}) summed)`;

const events = sql`
  select ${count(sql`select from outbox`)} as "eventsUnpublished",
    (select min(created_at) from outbox) as "eventsUnpublishedSince"`;

// A busy store whose receiver is down has thousands of deliveries in front of what can be sent.
const lookedThrough = 100_000;

// All that is due is work for the dispatchers, whichever store's it is.
const deliveries = (test: boolean) => sql`
  select ${count(sql`select from deliveries where state = 'pending' and ${isOfKind(test, { store: 'storeId' })}`)} as "deliveriesPending",
    ${count(sql`select from deliveries d where ${sql.raw(isDue('d'))} order by next_attempt_at`)} as "deliveriesDue",
    (select min(next_attempt_at) from (
      select endpoint, next_attempt_at from deliveries d where ${sql.raw(isDue('d'))} order by next_attempt_at
      limit ${lookedThrough}
    ) head where endpoint not in (
      select id from failing_endpoints where open_until is not null
    )) as "deliveriesDueSince",
    ${count(sql`select from deliveries where state = 'dead' and ${isOfKind(test, { store: 'storeId' })}`)} as "deliveriesDead"`;

// Written as in the partial index. After its time a review has no deadline, and the refunds' sum has its money.
const areNotTimedOut = sql`review_since is not null and review_timed_out_at is null`;

// charge_try_at moves with every try; the wait began with the payment, or with its cancellation.
const waitsSince = sql`case charge_state when 'cancelling' then (
    select min(occurred_at) from events e
    where e.payment_id = payments.id and e.type = 'payment.status_changed' and e.previous_status = 'pending'
  ) else created_at end`;

const payments = (test: boolean) => sql`
  select ${count(sql`select from payments where charge_try_at is not null and test = ${test}`)} as "chargesUnregistered",
    (select min(since) from (
      select ${waitsSince} as since from payments where charge_try_at is not null and test = ${test} order by charge_try_at limit 1000
    ) head) as "chargesUnregisteredSince",
    ${count(sql`select from payments where review_since is not null and test = ${test}`)} as "reviewsWaiting",
    (select min(review_since) from payments where review_since is not null and test = ${test}) as "reviewsWaitingSince",
    (select min(review_since) from payments where ${areNotTimedOut} and test = ${test}) as "nextReviewSince",
    ${sumOf(sql`select ${leftInReview} as amount from payments where ${areNotTimedOut} and test = ${test}`)} as "reviewsWaitingAmount"`;

const refunds = (test: boolean) => sql`
  select count(*) filter (where state <> 'failed')::int as "refundsUnfinished",
    min(created_at) filter (where state <> 'failed') as "refundsUnfinishedSince",
    count(*) filter (where state = 'failed')::int as "refundsFailed",
    count(owed)::int as "refundsOwed",
    coalesce(sum(owed), 0)::bigint as "refundsOwedAmount",
    count(order_again_at)::int as "refundsToOrderAgain",
    count(*) filter (where state <> 'failed' and origin = 'bank')::int as "bankReturnsUnderWay",
    coalesce(sum(amount) filter (where state <> 'failed' and origin = 'bank'), 0)::bigint
      as "bankReturnsUnderWayAmount"
  from refunds where state <> 'refunded' and ${isOfKind(test, { bank: 'bank' })}`;

const bankReturns = (test: boolean, since: Date) => sql`
  select count(*)::int as "bankReturnsLastDay",
    count(*) filter (where status in (${sql.join(paidOutStatuses)}) and effect in ('approved', 'review'))::int
      as "bankReturnsAfterPayout"
  from (
    select status, effect from refunds r join pix_received x using (end_to_end_id)
      left join payments p on p.id = r.payment_id
    where origin = 'bank' and state <> 'failed' and r.created_at > ${since}
      and ${isOfKind(test, { bank: 'r.bank' })} limit ${countedAtMost}
  ) counted`;

const returnedOfPix = sql`
  select sum(r.amount) from refunds r where r.end_to_end_id = pix_received.end_to_end_id and r.state = 'refunded'`;

const unmatchedPix = (test: boolean) => sql`
  select ${count(sql`select from pix_received where unmatched <> 'returned' and ${isOfKind(test, { bank: 'bank' })}`)} as "pixUnmatched",
    ${sumOf(sql`select amount - coalesce((${returnedOfPix}), 0) as amount from pix_received where unmatched <> 'returned' and ${isOfKind(test, { bank: 'bank' })}`)} as "pixUnmatchedAmount"`;

const chargeProblems = (test: boolean) => sql`
  select count(*) filter (where work = 'register')::int as "chargesRefused",
    count(*) filter (where work = 'settle')::int as "chargesSetAside",
    count(*) filter (where work in ('expire', 'cancel'))::int as "chargesStuck",
    min(since) as "chargeProblemsSince"
  from (select work, since from charge_problems
    where ${isOfKind(test, { bank: 'bank' })} order by since, txid limit ${countedAtMost}) counted`;

// A look at a day that is not over may lack what is still on its way. The domain's isWhole says the same.
const reconciliations = (test: boolean, now: Date) => sql`
  select coalesce(sum(differences), 0)::int as "reconciliationDifferences"
  from reconciliations where day >= ${firstShownDay(now)}
    and day < to_char(day_of(checked_at - ${listedLateMs} * interval '1 millisecond'), 'YYYY-MM-DD')
    and ${isOfKind(test, { bank: 'bank' })}`;

const endpoints = (test: boolean, parkedSince: Date) => sql`
  select count(*)::int as "endpointsFailing",
    count(open_until)::int as "endpointsOpen",
    count(open_until) filter (where failing_since < ${parkedSince})::int as "endpointsParked"
  from (select open_until, failing_since from failing_endpoints
    where ${isOfKind(test, { store: 'storeId' })} limit ${countedAtMost}) counted`;

// A mail that still collects waits for no one. Where no mail server is configured, those to the person concerned are never
// tried.
const mails = (since: Date) => sql`
  select count(*) filter (where attempts > 0)::int as "mailsDue",
    min(created_at) filter (where attempts > 0) as "mailsDueSince",
    ${count(sql`select from mails where state = 'failed' and created_at > ${since}`)} as "mailsFailedLastDay"
  from (
    select attempts, next_attempt_at, created_at from mails where next_attempt_at is not null
    order by next_attempt_at limit ${countedAtMost}
  ) counted`;

/** The figures of the overview, for administrators; amounts in centavos. */
export type Overview = { payments: CountsByStatus; backlog: Backlog };

/** @returns payments by status, and the backlog */
export async function readOverview(db: Database, now: Date, test = false): Promise<Overview> {
  return { payments: await countByStatus(db, { test }), backlog: await readBacklog(db, { now, test }) };
}
