import type { PaymentStatus } from '@payments/domain/status';
import type { Database } from '../connection.ts';
import { readBacklog } from './backlog.ts';

/** The figures of the overview, for administrators. */
export type Overview = Awaited<ReturnType<typeof readOverview>>;

// Longer than any read takes, and shorter than a person waits.
const timeoutMs = 5_000;

/** @returns payments by status, and the backlog; amounts in centavos */
export async function readOverview(db: Database, now: Date) {
  const payments = await db
    .selectFrom('paymentCounts')
    .select(({ fn }) => ['status', fn.sum<string>('payments').as('total')])
    .groupBy('status')
    .execute();
  const totals = payments.map(({ status, total }) => [status, Number(total)]);
  const backlog = await readBacklog(db, { timeoutMs, parkedAfterMs: 0, now });
  return {
    payments: Object.fromEntries(totals) as Partial<Record<PaymentStatus, number>>,
    oldestReviewSince: backlog.reviewsWaitingSince,
    deliveries: { pending: backlog.deliveriesPending, dead: backlog.deliveriesDead },
    refunds: {
      unfinished: backlog.refundsUnfinished,
      owed: backlog.refundsOwed,
      owedAmount: backlog.refundsOwedAmount,
      toOrderAgain: backlog.refundsToOrderAgain,
      byBank: backlog.bankReturnsUnderWay,
    },
    unmatchedPix: backlog.pixUnmatched,
    /** Sums of what waits, in centavos. */
    amounts: {
      reviews: backlog.reviewsWaitingAmount,
      owed: backlog.refundsOwedAmount,
      byBank: backlog.bankReturnsUnderWayAmount,
      unmatchedPix: backlog.pixUnmatchedAmount,
    },
    chargeProblems: backlog.chargesSetAside + backlog.chargesStuck,
    endpoints: { failing: backlog.endpointsFailing, open: backlog.endpointsOpen },
  };
}
