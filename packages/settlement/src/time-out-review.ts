import { lockPayment } from '@payments/database/payments';
import { listRefunds, listRefundsOf, orderRefunds } from '@payments/database/refunds';
import { lockOverdueReviews } from '@payments/database/reviews';
import { inTransaction } from '@payments/database/transaction';
import type { SettlementContext } from './context.ts';
import { endIfReturned, reviewTimeout } from './end-review.ts';

export type TimedOut = {
  /** Payments of which something was ordered. */
  ordered: Set<string>;
  /** Those of which nothing is left to order: {@link timeOutReview} sees to them. */
  returned: string[];
};

/**
 * Orders the refunds of payments that have been in review too long (spec 3), of all of them together. One that somebody
 * is about at the moment is passed over.
 */
export async function timeOutReviews(
  { db, now }: SettlementContext,
  paymentIds: readonly string[],
  since: Date,
): Promise<TimedOut> {
  return inTransaction(db, async (trx) => {
    const overdue = await lockOverdueReviews(trx, paymentIds, since);
    // Read when all are locked: from here on nobody else orders a refund of theirs.
    const refunds = await listRefundsOf(trx, overdue);
    const timedOut = new Set(
      refunds.filter(({ reason }) => reason === reviewTimeout).map(({ paymentId }) => paymentId),
    );
    const due = overdue.filter((id) => !timedOut.has(id));
    const made = await orderRefunds(trx, { paymentIds: due, reason: reviewTimeout, now: now() });
    const ordered = new Set(made.map(({ paymentId }) => paymentId));
    return { ordered, returned: due.filter((id) => !ordered.has(id)) };
  });
}

/**
 * Orders the refund of a payment that has been in review too long (spec 3), once: repeating it changes nothing. Where
 * the bank has sent everything back by itself, the review ends here.
 * @returns whether something was ordered
 */
export async function timeOutReview(
  context: SettlementContext,
  paymentId: string,
  since: Date,
): Promise<boolean> {
  const { db, now } = context;
  return inTransaction(db, async (trx) => {
    const payment = await lockPayment(trx, paymentId);
    const overdue =
      payment?.status === 'review' && payment.reviewSince !== null && payment.reviewSince < since;
    if (!overdue) return false;
    const refunds = await listRefunds(trx, paymentId);
    // One that failed is a person's to decide on.
    if (refunds.some((refund) => refund.reason === reviewTimeout)) return false;
    const ordered = await orderRefunds(trx, { paymentIds: [paymentId], reason: reviewTimeout, now: now() });
    if (ordered.length === 0) await endIfReturned(trx, context, payment, refunds);
    return ordered.length > 0;
  });
}
