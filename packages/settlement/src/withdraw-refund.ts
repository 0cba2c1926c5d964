import { recordChange } from '@payments/database/operations/changes';
import type { StoredPayment } from '@payments/database/payments/payments';
import { withdrawOrder } from '@payments/database/refunds/orders';
import type { Refund } from '@payments/database/refunds/refunds';
import { isRefundable, orderedByPerson } from '@payments/domain/refunds';
import { balance, readMoney } from './balance.ts';
import type { SettlementContext } from './context.ts';
import { RefundRefused } from './order-refund.ts';
import { refusals } from './refusals.ts';
import { type OnRefused, onRefused } from './retry-refund.ts';

/**
 * Withdraws a person's order of a refund that the bank refused: the money stays the store's, and can be paid out.
 * @returns the refund, or undefined if the payment has no such refund
 * @throws RefundRefused with the reason
 */
export async function withdrawRefund(
  context: SettlementContext,
  withdrawal: OnRefused,
): Promise<Refund | undefined> {
  return onRefused(context, withdrawal, async (trx, { payment, failed: refund }) => {
    const { paymentId, refundId, by } = withdrawal;
    if (!isOfPerson(refund, payment)) throw new RefundRefused(refusals.ofPayer);
    await withdrawOrder(trx, refund);
    const { endToEndId: subject, amount } = refund;
    const about = { at: context.now(), storeId: payment.storeId, paymentId, subject };
    await recordChange(trx, by, { action: 'refund.withdrawn', ...about, from: { refundId, amount } });
    await balance(trx, context, payment);
    return (await readMoney(trx, payment)).refunds.find(({ id }) => id === refundId);
  });
}

/** @returns whether a person decided the refund and may withdraw it; the payer has a right to any other */
export function isOfPerson(
  { reason }: Pick<Refund, 'reason'>,
  { status }: Pick<StoredPayment, 'status'>,
): boolean {
  return reason === orderedByPerson && isRefundable(status);
}
