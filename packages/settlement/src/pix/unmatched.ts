import { lockUnmatchedPix } from '@payments/database/charges/unmatched-pix';
import { type Author, recordChange } from '@payments/database/record/changes';
import { insertRefundOrder } from '@payments/database/refunds/orders';
import { listRefundsOfPix, type Refund } from '@payments/database/refunds/refunds';
import { inTransaction } from '@payments/database/transaction';
import { unreplaced } from '@payments/domain/refund-plan';
import { isRefundWindowOver, orderedByPerson, refundableAmount } from '@payments/domain/refunds';
import { asApproved, balanceHolder } from '../balance.ts';
import type { SettlementContext } from '../context.ts';
import { RefundRefused } from '../refunds/order-refund.ts';

/**
 * Records a person's order of the refund of all that is left of an unmatched Pix. `carryOutRefunds` then asks the PSP
 * for it.
 * @returns the refund, or undefined if there is no such Pix
 * @throws RefundRefused with the reason
 */
export async function orderRefundOfUnmatched(
  context: SettlementContext,
  { endToEndId, by }: { endToEndId: string; by: Author },
): Promise<Refund | undefined> {
  return inTransaction(context.db, async (trx) => {
    const pix = await lockUnmatchedPix(trx, endToEndId);
    if (!pix) return undefined;
    if (isRefundWindowOver(pix, context.now())) throw new RefundRefused({ code: 'windowOver' });
    const refunds = await listRefundsOfPix(trx, [endToEndId]);
    const amount = refundableAmount({ ...asApproved(pix), refunds });
    if (amount === 0) throw new RefundRefused({ code: 'nothingOfPix' });
    const refused = unreplaced(refunds).findLast(({ state }) => state === 'failed');
    const at = context.now();
    const refund = await insertRefundOrder(trx, {
      endToEndId,
      paymentId: null,
      amount,
      reason: orderedByPerson,
      note: by.reason,
      replaces: refused?.id ?? null,
      reorders: 0,
      now: at,
    });
    const to = { refundId: refund.id, amount };
    await recordChange(trx, by, { action: 'refund.ordered', at, storeId: null, subject: endToEndId, to });
    await balanceHolder(trx, context, { pix });
    return refund;
  });
}
