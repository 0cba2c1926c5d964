import type { Queryable } from '@payments/database/connection';
import { lockPayment, type StoredPayment } from '@payments/database/payments';
import { listPixReceived } from '@payments/database/pix-received';
import { listRefunds, type Refund } from '@payments/database/refunds';
import { changeStatus } from '@payments/database/status-changes';
import type { SettlementContext } from './context.ts';

/** The reason of a refund that was ordered because its payment stayed in review too long. */
export const reviewTimeout = 'review_timeout';

/**
 * Ends a review that timed out, once the PSP has accepted that all that was received goes back (design 5). Does
 * nothing to any other payment. Call it whenever a refund has moved on.
 */
export async function endTimedOutReview(
  trx: Queryable,
  context: SettlementContext,
  paymentId: string,
): Promise<void> {
  const payment = await lockPayment(trx, paymentId);
  if (payment) await endIfTimedOut(trx, context, payment);
}

/** @param payment as it is now, locked */
export async function endIfTimedOut(
  trx: Queryable,
  context: SettlementContext,
  payment: StoredPayment,
): Promise<void> {
  if (payment.status !== 'review') return;
  const refunds = await listRefunds(trx, payment.id);
  if (refunds.some((refund) => refund.reason === reviewTimeout))
    await endIfReturned(trx, context, payment, refunds);
}

/**
 * Ends a review that is overdue and of which everything has gone back, whoever sent it.
 * @param refunds all of the payment's
 */
export async function endIfReturned(
  trx: Queryable,
  { now, publicUrl }: SettlementContext,
  payment: StoredPayment,
  refunds: readonly Refund[],
): Promise<void> {
  const accepted = refunds.filter(isAccepted);
  if (sum(accepted) < sum(await listPixReceived(trx, payment.id))) return;
  const { requestId } = payment;
  const why = { actor: 'review-timeout', reason: reviewTimeout, requestId };
  await changeStatus(trx, { payment, to: 'not_approved', ...why, now: now(), publicUrl });
}

function isAccepted({ state }: Refund): boolean {
  return state === 'processing' || state === 'refunded';
}

function sum(list: readonly { amount: number }[]): number {
  return list.reduce((total, { amount }) => total + amount, 0);
}
