import { lockPayment } from '@payments/database/payments';
import { listRefunds, orderRefunds } from '@payments/database/refunds';
import { inTransaction } from '@payments/database/transaction';
import type { SettlementContext } from './context.ts';
import { endIfReturned, reviewTimeout } from './end-review.ts';

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
    const ordered = await orderRefunds(trx, { paymentId, reason: reviewTimeout, now: now() });
    if (ordered.length === 0) await endIfReturned(trx, context, payment);
    return ordered.length > 0;
  });
}
