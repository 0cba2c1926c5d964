import { lockPayment } from '@payments/database/payments/payments';
import { setReviewTimedOut } from '@payments/database/payments/reviews';
import { inTransaction } from '@payments/database/transaction';
import { balance } from './balance.ts';
import type { SettlementContext } from './context.ts';

/**
 * Times out a payment that has been in review since before `since`: all that was received goes back, once. The status
 * changes when the bank has accepted the refund.
 * @returns whether this call timed it out
 */
export async function timeOutReview(
  context: SettlementContext,
  paymentId: string,
  since: Date,
): Promise<boolean> {
  return inTransaction(context.db, async (trx) => {
    const payment = await lockPayment(trx, paymentId);
    if (payment?.status !== 'review' || payment.reviewTimedOutAt !== null) return false;
    if (payment.reviewSince === null || payment.reviewSince >= since) return false;
    const reviewTimedOutAt = context.now();
    await setReviewTimedOut(trx, paymentId, reviewTimedOutAt);
    await balance(trx, context, { ...payment, reviewTimedOutAt });
    return true;
  });
}
