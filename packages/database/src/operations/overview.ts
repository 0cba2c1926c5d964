import type { PaymentStatus } from '@payments/domain/status';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { countRefundsOwed } from '../refunds/not-made.ts';

/** How things stand, for those who run the service. */
export type Overview = {
  payments: Partial<Record<PaymentStatus, number>>;
  oldestReviewSince: Date | null;
  /** Each counted up to `countedAtMost`. */
  deliveries: { pending: number; dead: number };
  refunds: {
    unfinished: number;
    /** Refused so often that a person must act, and how much that is, in centavos. */
    owed: number;
    owedAmount: number;
    /** Refused, and to be ordered anew by the service. */
    toOrderAgain: number;
    /** Started by the bank itself (MED), and not ended yet. */
    byBank: number;
  };
  /** Pix that fit no payment. */
  unmatchedPix: number;
  /** Charges on which work keeps failing. */
  chargeProblems: number;
  endpoints: { failing: number; open: number };
};

/** Figures that may be large are counted no further than this. */
export const countedAtMost = 10_000;

export async function readOverview(db: Queryable): Promise<Overview> {
  const payments = await db
    .selectFrom('payment_counts')
    .select((eb) => ['status', eb.fn.sum<string>('payments').as('total')])
    .groupBy('status')
    .execute();
  const { rows } = await sql<Figures>`
    select (select min(review_since) from payments where review_since is not null) as "oldestReviewSince",
      (select count(*) from (select from deliveries where state = 'pending' limit ${countedAtMost}::int) d) as pending,
      (select count(*) from (select from deliveries where state = 'dead' limit ${countedAtMost}::int) d) as dead,
      (select count(*) from refunds where state in ('requested', 'processing')) as unfinished,
      (select count(*) from refunds where order_again_at is not null) as "toOrderAgain",
      (select count(*) from refunds where state in ('requested', 'processing') and origin = 'bank') as "byBank",
      (select count(*) from pix_received where unmatched <> 'returned') as "unmatchedPix",
      (select count(*) from charge_problems) as "chargeProblems",
      (select count(*) from failing_endpoints) as failing,
      (select count(open_until) from failing_endpoints) as open`.execute(db);
  const { oldestReviewSince, pending, dead, unfinished, failing, open, ...counts } = rows[0]!;
  const { toOrderAgain, byBank, unmatchedPix, chargeProblems } = counts;
  const owed = await countRefundsOwed(db);
  return {
    payments: Object.fromEntries(payments.map(({ status, total }) => [status, Number(total)])),
    oldestReviewSince,
    deliveries: { pending, dead },
    refunds: { unfinished, owed: owed.refunds, owedAmount: owed.amount, toOrderAgain, byBank },
    unmatchedPix,
    chargeProblems,
    endpoints: { failing, open },
  };
}

type Figures = {
  oldestReviewSince: Date | null;
  pending: number;
  dead: number;
  unfinished: number;
  toOrderAgain: number;
  byBank: number;
  unmatchedPix: number;
  chargeProblems: number;
  failing: number;
  open: number;
};
