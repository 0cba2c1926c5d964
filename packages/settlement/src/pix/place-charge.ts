import { findPayment } from '@payments/database/payments/payments';
import type { Charge } from '@payments/pix/client';
import { Unsettleable } from '../charges/set-aside.ts';
import type { BankContext } from '../context.ts';
import { areKeptWithRefunds } from './on-record.ts';
import { isOwnCharge } from './own-charge.ts';
import { recoverPayment } from './recover-payment.ts';

/**
 * Looks for the payment of a paid charge. One that a restored database has lost is created anew, if that is asked for.
 * @returns false for another system's charge
 * @throws Unsettleable for our charge without a payment
 */
export async function isPlaced(context: BankContext, paymentId: string, charge: Charge): Promise<boolean> {
  if (await findPayment(context.db, paymentId)) return true;
  if (!(await isOwnCharge(context, charge))) return false;
  const ids = charge.pix.map(({ endToEndId }) => endToEndId);
  // A Pix of which something went back while it was kept is left to people: a payment could not count it.
  const mayRecover = context.recoversPayments && !(await areKeptWithRefunds(context.db, ids));
  if (mayRecover && (await recoverPayment(context, paymentId, charge))) return true;
  throw new Unsettleable('no_payment', `no payment of store ${charge.storeId ?? 'unknown'}`, charge.pix);
}
