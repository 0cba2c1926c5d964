import { lockPayment } from '@payments/database/payments';
import { listPixReceived } from '@payments/database/pix-received';
import { type ClaimedRefund, reduceRefund } from '@payments/database/refund-claims';
import { listRefunds } from '@payments/database/refunds';
import { inTransaction } from '@payments/database/transaction';
import { txidOf } from '@payments/domain/identifiers';
import type { SettlementContext } from './context.ts';
import { endTimedOutReview } from './end-review.ts';
import { settleCharge } from './settle-charge.ts';

/**
 * Finds out why the PSP refused a refund, where it knows more than we did: it has this refund already, or the bank
 * itself sent back a part (MED), so that ours would exceed what was received. Ours then becomes what is left.
 * @returns whether that explained the refusal
 */
export async function fitRefund(context: SettlementContext, refund: ClaimedRefund): Promise<boolean> {
  const { db, pix, log, now } = context;
  const { id, endToEndId, paymentId } = refund;
  const charge = await pix.getCharge(txidOf(paymentId)).catch(() => null);
  if (!charge) return false;
  await settleCharge(context, paymentId, charge);
  return inTransaction(db, async (trx) => {
    await lockPayment(trx, paymentId);
    const refunds = (await listRefunds(trx, paymentId)).filter((one) => one.endToEndId === endToEndId);
    if (refunds.find((one) => one.id === id)?.state !== 'requested') return true;
    const received = (await listPixReceived(trx, paymentId)).find((one) => one.endToEndId === endToEndId);
    const gone = refunds.filter((one) => one.id !== id && one.state !== 'failed');
    const left = gone.reduce((rest, { amount }) => rest - amount, received?.amount ?? 0);
    if (left >= refund.amount) return false;
    await reduceRefund(trx, refund, { amount: left, now: now() });
    await endTimedOutReview(trx, context, paymentId);
    log.warn({ paymentId, refundId: id, endToEndId, left }, 'the bank had sent back a part by itself');
    return true;
  });
}
