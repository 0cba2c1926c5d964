import { findNewestPaid } from '@payments/database/charges/pix-received';
import { paymentIdOf, txidOf } from '@payments/domain/identifiers';
import type { Charge } from '@payments/pix/client';
import type { BankContext } from '../context.ts';

/**
 * Tells our charges from another system's, where no payment says so. A charge with our mark is ours. Without it, a charge
 * with a txid of our form is another system's only at a bank that is known to repeat the mark: what may be ours is kept
 * and shown, never dropped.
 * @param repeats whether this bank repeats the mark; give one that remembers its answer where many charges are judged
 * @throws PixUnavailable, PixRefused if the bank can't be asked
 */
export async function isOwnCharge(
  context: BankContext,
  { txid, storeId }: Charge,
  repeats: () => Promise<boolean> = () => repeatsMark(context),
): Promise<boolean> {
  if (storeId !== null) return true;
  return paymentIdOf(txid) !== undefined && !(await repeats());
}

/**
 * @returns whether the bank repeats our mark (`infoAdicionais`), as the charge of the newest Pix on record shows; false if
 * nothing shows it
 * @throws PixUnavailable, PixRefused
 */
export async function repeatsMark({ db, bank, pix }: BankContext): Promise<boolean> {
  const paymentId = await findNewestPaid(db, bank);
  if (paymentId === undefined) return false;
  const charge = await pix.getCharge(txidOf(paymentId));
  return charge !== null && charge.storeId !== null;
}
