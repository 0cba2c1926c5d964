import type { Database } from '@payments/database/connection';
import { type Backlog, readBacklog } from '@payments/database/operations/backlog';
import { parkedAfterMs } from '@payments/webhooks/endpoint-health';
import { cachedReading } from './cached-reading.ts';
import { gauge, gaugeBy, type Registry } from './registry.ts';

// Below any usual scrape interval; all gauges of a scrape, and any number of askers at once, cost one reading.
const freshMs = 2_000;
const patienceMs = 1_000;
const statementTimeoutMs = 2_000;

/** Shows what waits in the database, as far as that can be read. */
export function watchBacklog(register: Registry, db: Database, now: () => Date): void {
  const backlog = cachedReading({
    read: () => readBacklog(db, { timeoutMs: statementTimeoutMs, parkedAfterMs, now: now() }),
    freshMs,
    patienceMs,
  });
  gauge(
    register,
    'payments_database_up',
    '1 when the database answered in time; without it, what it knows is not shown',
    async () => ((await backlog()) ? 1 : 0),
  );
  for (const [name, [help, read]] of Object.entries(waiting)) {
    gauge(register, name, help, async () => {
      const known = await backlog();
      return known && read(known);
    });
  }
  for (const [name, [help, read]] of Object.entries(ages)) {
    gauge(register, name, help, async () => {
      const known = await backlog();
      if (!known) return undefined;
      const since = read(known);
      return since === null ? 0 : Math.max(0, now().getTime() - since.getTime()) / 1_000;
    });
  }
  watchStates(register, backlog);
}

type Reading<T> = [help: string, read: (backlog: Backlog) => T];

const upTo = '(at most 10000 are counted)';

const waiting: Record<string, Reading<number>> = {
  payments_events_unpublished: [
    `Committed events not yet published ${upTo}`,
    ({ eventsUnpublished }) => eventsUnpublished,
  ],
  payments_deliveries_pending: [
    `Deliveries not yet delivered or dead ${upTo}`,
    ({ deliveriesPending }) => deliveriesPending,
  ],
  payments_deliveries_due: [
    `Of those, what could be attempted now ${upTo}`,
    ({ deliveriesDue }) => deliveriesDue,
  ],
  payments_deliveries_dead: [
    `Deliveries that were given up, and can be redriven ${upTo}`,
    ({ deliveriesDead }) => deliveriesDead,
  ],
  payments_charges_unregistered: [
    `Charges to be registered or withdrawn at the PSP ${upTo}`,
    ({ chargesUnregistered }) => chargesUnregistered,
  ],
  payments_reviews_waiting: [
    `Payments in review, waiting for a decision ${upTo}`,
    ({ reviewsWaiting }) => reviewsWaiting,
  ],
  payments_refunds_owed: [
    `Refunds that the PSP refused as often as the service orders them: a person must act ${upTo}`,
    ({ refundsOwed }) => refundsOwed,
  ],
  payments_refunds_owed_reais: [
    `What these refunds were to give back, in BRL ${upTo}`,
    ({ refundsOwedAmount }) => refundsOwedAmount / 100,
  ],
  payments_refunds_to_order_again: [
    `Refused refunds that the service orders anew by itself ${upTo}`,
    ({ refundsToOrderAgain }) => refundsToOrderAgain,
  ],
  payments_bank_returns_under_way: [
    `Returns that the bank started by itself (MED) and has not ended ${upTo}`,
    ({ bankReturnsUnderWay }) => bankReturnsUnderWay,
  ],
  payments_bank_returns_last_day: [
    `Returns that the bank started by itself (MED), within 24 hours, refused ones aside ${upTo}`,
    ({ bankReturnsLastDay }) => bankReturnsLastDay,
  ],
  payments_bank_returns_after_payout_last_day: [
    'Of those, returns of payments in withdrawal_processing, receipt_sent or rejected',
    ({ bankReturnsAfterPayout }) => bankReturnsAfterPayout,
  ],
  payments_pix_unmatched: [
    `Pix that fit no payment and have not gone back whole ${upTo}`,
    ({ pixUnmatched }) => pixUnmatched,
  ],
};

const ages: Record<string, Reading<Date | null>> = {
  payments_events_oldest_unpublished_seconds: [
    'Age of the oldest committed event not yet published, 0 for none',
    (backlog) => backlog.eventsUnpublishedSince,
  ],
  payments_deliveries_oldest_due_seconds: [
    'How long the oldest due delivery has been due, endpoints with an open circuit aside, 0 for none',
    (backlog) => backlog.deliveriesDueSince,
  ],
  payments_charges_oldest_unregistered_seconds: [
    'Age of the oldest payment whose charge is to be registered or withdrawn at the PSP, 0 for none',
    (backlog) => backlog.chargesUnregisteredSince,
  ],
  payments_reviews_oldest_seconds: [
    'How long the oldest payment in review has been waiting, 0 for none',
    (backlog) => backlog.reviewsWaitingSince,
  ],
  payments_refunds_oldest_unfinished_seconds: [
    'Age of the oldest refund that has not ended, 0 for none',
    (backlog) => backlog.refundsUnfinishedSince,
  ],
  payments_charge_problems_oldest_seconds: [
    'How long the oldest charge has not been settled, or closed, for work on it fails, 0 for none',
    (backlog) => backlog.chargeProblemsSince,
  ],
};

function watchStates(register: Registry, backlog: () => Promise<Backlog | undefined>): void {
  const refunds = {
    name: 'payments_refunds_not_made',
    help: `Refunds that have not ended yet (unfinished), and that the PSP did not make (failed) ${upTo}`,
    label: 'state',
  };
  gaugeBy(register, refunds, async () => {
    const known = await backlog();
    return known && { unfinished: known.refundsUnfinished, failed: known.refundsFailed };
  });
  const problems = {
    name: 'payments_charge_problems',
    help: `Charges that can’t be settled (settle), or given up as expired or cancelled (close), and are tried again ${upTo}`,
    label: 'work',
  };
  gaugeBy(register, problems, async () => {
    const known = await backlog();
    return known && { settle: known.chargesSetAside, close: known.chargesStuck };
  });
  const endpoints = {
    name: 'payments_webhook_endpoints',
    help: 'Endpoints that fail now, by their circuit: closed, open, and, of the open ones, parked for failing for days',
    label: 'phase',
  };
  gaugeBy(register, endpoints, async () => {
    const known = await backlog();
    if (!known) return undefined;
    const { endpointsFailing, endpointsOpen: open } = known;
    return { closed: endpointsFailing - open, open, parked: known.endpointsParked };
  });
}
