import { endOrder, reduceRefund } from '@payments/database/refunds/claims';
import { listRefundsOfPix, type Refund } from '@payments/database/refunds/refunds';
import { inTransaction } from '@payments/database/transaction';
import { leftOf } from '@payments/domain/refunds';
import { balanceOf, lockHolder } from '../balance-of.ts';
import type { BankContext } from '../context.ts';
import { refusals } from '../refusals.ts';
import { learnFromCharge } from './follow-bank-refund.ts';

/**
 * Compares a refused refund with the PSP. The PSP may have it already, or the bank returned a part (MED), so that ours
 * would exceed what was received. Ours is then reduced to what is left; one of a named amount ends instead.
 * @returns whether that explained the refusal
 */
export async function fitRefund(context: BankContext, refund: Refund): Promise<boolean> {
  const { db, log, now } = context;
  const { id, endToEndId, paymentId } = refund;
  const pix = await learnFromCharge(context, refund);
  if (!pix) return false;
  return inTransaction(db, async (trx) => {
    const holder = await lockHolder(trx, refund);
    const refunds = await listRefundsOfPix(trx, [endToEndId]);
    if (refunds.find((one) => one.id === id)?.state !== 'requested') return true;
    const others = refunds.filter((one) => one.id !== id && one.state !== 'failed');
    const left = leftOf(pix, others);
    if (left >= refund.amount) return false;
    if (refund.exact) await endOrder(trx, refund, { reason: refusals.moreThanIsLeft, now: now() });
    else await reduceRefund(trx, refund, { amount: left, now: now() });
    await balanceOf(trx, context, holder);
    log.warn({ paymentId, refundId: id, endToEndId, left }, 'the bank had sent back a part by itself');
    return true;
  });
}
