import { findPayment } from '@payments/database/payments/payments';
import { paymentIdOf } from '@payments/domain/identifiers';
import type { BankContext } from './context.ts';
import { recoverPayment } from './recover-payment.ts';
import { Unsettleable } from './set-aside.ts';

/**
 * Looks for the payment of a paid charge. One that a restored database has lost is created anew, if that is asked for.
 * @throws Unsettleable for our charge without a payment
 */
export async function placeCharge(context: BankContext, txid: string): Promise<void> {
  const paymentId = paymentIdOf(txid);
  if (paymentId && (await findPayment(context.db, paymentId))) return;
  const charge = await context.pix.getCharge(txid);
  if (!charge) throw new Unsettleable('charge_unknown', 'neither the PSP nor we know the charge');
  if (charge.storeId === null) return;
  if (context.recoversPayments && paymentId && (await recoverPayment(context, paymentId, charge))) return;
  throw new Unsettleable('no_payment', `no payment of store ${charge.storeId}`);
}
