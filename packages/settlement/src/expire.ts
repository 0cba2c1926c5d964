import { lockPayment, type StoredPayment } from '@payments/database/payments';
import { changeStatus } from '@payments/database/status-changes';
import { inTransaction } from '@payments/database/transaction';
import { txidOf } from '@payments/domain/identifiers';
import type { SettlementContext } from './context.ts';
import { settleCharge } from './settle-charge.ts';

/**
 * Gives up a payment whose charge has expired, after asking the PSP one last time whether it was paid (design 5).
 * @throws PixUnavailable while the PSP can't be asked, or when it contradicts itself: then the payment stays pending
 */
export async function expirePayment(context: SettlementContext, payment: StoredPayment): Promise<void> {
  const { db, pix, now, publicUrl } = context;
  const charge = await pix.getCharge(txidOf(payment.id));
  if (charge?.status === 'CONCLUIDA' && charge.pix.length === 0) {
    throw new Error(`the PSP says that the charge of ${payment.id} is paid, and shows no Pix`);
  }
  if (charge && charge.pix.length > 0) await settleCharge(context, payment.id, charge);
  await inTransaction(db, async (trx) => {
    const current = await lockPayment(trx, payment.id);
    if (current?.status !== 'pending' || current.expiresAt > now()) return;
    const { requestId } = current;
    const why = { actor: 'expiry', reason: 'expired', requestId };
    await changeStatus(trx, { payment: current, to: 'not_approved', ...why, now: now(), publicUrl });
  });
}
