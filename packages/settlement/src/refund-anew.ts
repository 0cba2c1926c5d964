import { type Author, recordChange } from '@payments/database/changes';
import { lockPayment } from '@payments/database/payments';
import { listRefunds, orderRefunds, type Refund } from '@payments/database/refunds';
import { refusalToRefundAnew } from '@payments/domain/refund-anew';
import type { PaymentStatus } from '@payments/domain/status';
import type { SettlementContext } from './context.ts';

/** The refund may not be ordered anew, or was by someone else; nothing was written. */
export class RefundAnewRefused extends Error {
  override readonly name = 'RefundAnewRefused';
}

export type RefundAnew = {
  paymentId: string;
  /** Of the refund that failed. */
  refundId: string;
  by: Author;
};

/**
 * Orders what the bank refused to refund once more, by a person's decision: a refund with an id of its own, of what is
 * left of the Pix. It is only recorded here; whoever carries out refunds asks the PSP for it, under that id.
 * @returns the new refund, or undefined when the payment has no such refund
 * @throws RefundAnewRefused with the reason
 */
export async function orderRefundAnew(
  { db, now }: SettlementContext,
  { paymentId, refundId, by }: RefundAnew,
): Promise<Refund | undefined> {
  return db.transaction().execute(async (trx) => {
    const payment = await lockPayment(trx, paymentId);
    if (!payment) return undefined;
    const refunds = await listRefunds(trx, paymentId);
    const failed = refunds.find(({ id }) => id === refundId);
    if (!failed) return undefined;
    const { endToEndId, reason } = failed;
    const refusal = refusalOf(failed, refunds, payment.status);
    if (refusal !== null) throw new RefundAnewRefused(refusal);
    const at = now();
    const order = { paymentIds: [paymentId], endToEndIds: [endToEndId], reason, replaces: refundId, now: at };
    const [made] = await orderRefunds(trx, order);
    if (!made) throw new RefundAnewRefused('Nada resta a devolver deste Pix.');
    const ordered = (await listRefunds(trx, paymentId)).find((one) => one.id === made.id);
    const [from, to] = [{ refundId }, { refundId: made.id, amount: ordered?.amount ?? 0 }];
    const about = { at, storeId: payment.storeId, paymentId, subject: endToEndId };
    await recordChange(trx, by, { action: 'refund.ordered_anew', ...about, from, to });
    return ordered;
  });
}

/** @returns why a refund may not be ordered anew now, beside the payment's other refunds; null where it may */
export function refusalOf(
  refund: Refund,
  refunds: readonly Refund[],
  paymentStatus: PaymentStatus,
): string | null {
  const isReplaced = refunds.some((one) => isOrderedAfter(one, refund));
  return refusalToRefundAnew({ ...refund, isReplaced, paymentStatus });
}

function isOrderedAfter(one: Refund, { id, endToEndId, createdAt }: Refund): boolean {
  if (one.endToEndId !== endToEndId || one.origin !== 'service') return false;
  return one.replaces === id || one.createdAt > createdAt;
}
