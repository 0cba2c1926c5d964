import { setTimeout } from 'node:timers/promises';
import { gauge, type Registry } from './registry.ts';

const patienceMs = 1_000;

/**
 * Shares one reading among all its gauges in concurrent scrapes. Another starts only after it has ended.
 * @returns `known`, what was read, undefined if that failed or took longer than a second; and `show`, which makes a gauge
 */
export function sharedReading<Known>(register: Registry, read: () => Promise<Known>) {
  let reading: Promise<Known | undefined> | undefined;
  const end = () => {
    reading = undefined;
  };
  const known = async () => {
    reading ??= read()
      .catch(() => undefined)
      .finally(end);
    return Promise.race([reading, setTimeout(patienceMs, undefined, { ref: false })]);
  };
  const show = (
    name: string,
    help: string,
    of: (known: Known) => number | Record<string, number>,
    label?: string,
  ) => {
    const figure = () => known().then((is) => is && of(is));
    gauge(register, `payments_${name}`, help, figure, label);
  };
  return { known, show };
}

/** @returns the age of what began then, 0 for none */
export function secondsSince(began: Date | null, now: Date): number {
  return began === null ? 0 : Math.max(0, now.getTime() - began.getTime()) / 1_000;
}

const upTo = '(at most 10000 are counted)';

/** Gauges of one number: the field, the metric's name after `payments_`, and its help. */
const counts = {
  eventsUnpublished: ['events_unpublished', `Committed events not yet published ${upTo}`],
  deliveriesPending: ['deliveries_pending', `Deliveries not yet delivered or dead ${upTo}`],
  deliveriesDue: ['deliveries_due', `Pending deliveries that could be attempted now ${upTo}`],
  deliveriesDead: ['deliveries_dead', `Dead deliveries, which can be redriven ${upTo}`],
  chargesUnregistered: ['charges_unregistered', `Charges to be registered or withdrawn at the PSP ${upTo}`],
  reviewsWaiting: ['reviews_waiting', `Payments in review, waiting for a decision ${upTo}`],
  refundsOwed: [
    'refunds_owed',
    `Refunds that the PSP refused as often as the service orders them: a person must act ${upTo}`,
  ],
  refundsToOrderAgain: [
    'refunds_to_order_again',
    `Refused refunds that the service orders again by itself ${upTo}`,
  ],
  bankReturnsUnderWay: ['bank_returns_under_way', `Returns in progress that began at the bank ${upTo}`],
  bankReturnsLastDay: [
    'bank_returns_last_day',
    `Returns that began at the bank in the last 24 hours, without refused ones ${upTo}`,
  ],
  bankReturnsAfterPayout: [
    'bank_returns_after_payout_last_day',
    'Those returns of money that the store had, of payments in withdrawal_processing, receipt_sent or rejected',
  ],
  reconciliationDifferences: [
    'reconciliation_differences',
    'Differences between the banks’ books and ours in the days checked within the last 90',
  ],
  mailsDue: ['mails_due', `Mails and posts of notices that were tried in vain ${upTo}`],
  mailsFailedLastDay: [
    'mails_failed_last_day',
    `Mails and posts of notices of the last 24 hours that failed for good ${upTo}`,
  ],
  pixUnmatched: ['pix_unmatched', `Pix that fit no payment and have not gone back whole ${upTo}`],
} as const;

/** Gauges of an age in seconds, 0 for none. */
const ages = {
  eventsUnpublishedSince: [
    'events_oldest_unpublished_seconds',
    'Age of the oldest committed event not yet published, 0 for none',
  ],
  deliveriesDueSince: [
    'deliveries_oldest_due_seconds',
    'How long the oldest due delivery has been due, without endpoints with an open circuit, 0 for none',
  ],
  chargesUnregisteredSince: [
    'charges_oldest_unregistered_seconds',
    'How long the oldest charge has been waiting to be registered or withdrawn at the PSP, 0 for none',
  ],
  reviewsWaitingSince: [
    'reviews_oldest_seconds',
    'How long the oldest payment in review has been waiting, 0 for none',
  ],
  refundsUnfinishedSince: [
    'refunds_oldest_unfinished_seconds',
    'Age of the oldest refund that has not ended, 0 for none',
  ],
  chargeProblemsSince: [
    'charge_problems_oldest_seconds',
    'How long work on the oldest failing charge has been failing, 0 for none',
  ],
  mailsDueSince: [
    'mails_oldest_due_seconds',
    'Age of the oldest mail or post of notices that was tried in vain, 0 for none',
  ],
} as const;

/** The work that waits in the database, and since when. */
export type Backlog = Record<
  | keyof typeof counts
  | 'refundsOwedAmount'
  | 'refundsUnfinished'
  | 'refundsFailed'
  | 'chargesRefused'
  | 'chargesSetAside'
  | 'chargesStuck'
  | 'endpointsFailing'
  | 'endpointsOpen'
  | 'endpointsParked',
  number
> &
  Record<keyof typeof ages, Date | null>;

/** Shows the backlog of the database, while it can be read. */
export function watchBacklog(register: Registry, read: () => Promise<Backlog>, now: () => Date): void {
  const { known, show } = sharedReading(register, read);
  gauge(
    register,
    'payments_database_up',
    '1 if the database responded in time; otherwise its figures are not shown',
    async () => ((await known()) ? 1 : 0),
  );
  for (const [field, [name, help]] of entries(counts)) show(name, help, (backlog) => backlog[field]);
  for (const [field, [name, help]] of entries(ages))
    show(name, help, (backlog) => secondsSince(backlog[field], now()));
  show(
    'refunds_owed_reais',
    `The missing amount of owed refunds, in BRL ${upTo}`,
    ({ refundsOwedAmount }) => refundsOwedAmount / 100,
  );
  show(
    'refunds_not_made',
    `Refunds in progress (unfinished), and refunds that the PSP did not make (failed) ${upTo}`,
    ({ refundsUnfinished: unfinished, refundsFailed: failed }) => ({ unfinished, failed }),
    'state',
  );
  show(
    'charge_problems',
    `Charges that are retried: they can’t be registered (register), settled (settle) or closed (close) ${upTo}`,
    ({ chargesRefused: register, chargesSetAside: settle, chargesStuck: close }) => ({
      register,
      settle,
      close,
    }),
    'work',
  );
  show(
    'webhook_endpoints',
    'Failing endpoints by their circuit: closed, open, and those open ones that are parked after days of failures',
    ({ endpointsFailing, endpointsOpen: open, endpointsParked: parked }) => {
      return { closed: endpointsFailing - open, open, parked };
    },
    'phase',
  );
}

const entries = <Table extends object>(table: Table) =>
  Object.entries(table) as [keyof Table, Table[keyof Table]][];
