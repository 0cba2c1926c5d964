import { findPayment } from '@payments/database/payments/payments';
import { paymentIdOf } from '@payments/domain/identifiers';
import type { BankContext } from './context.ts';
import { missedPix } from './on-record.ts';
import { orSetAside, type Told, Unsettleable } from './set-aside.ts';
import { type Settled, settleCharge } from './settle-charge.ts';

export type SettleOptions = {
  requestId?: string | null;
  /** Called with each settled payment. */
  onSettled?: (settled: Settled) => void;
};

/**
 * Settles the charges of a callback. A charge of ours that can't be settled is set aside with the reported Pix, and
 * tried again.
 * @returns how many Pix were new
 * @throws PixUnavailable while the PSP is down, so that it repeats the callback
 */
export async function settleTold(
  context: BankContext,
  told: readonly Told[],
  options: SettleOptions = {},
): Promise<number> {
  const failures: unknown[] = [];
  let found = 0;
  for (const one of told) {
    const settle = () => settleOne(context, one, options);
    found += await orSetAside(context, one, false, settle).catch((error: unknown) => {
      failures.push(error);
      return 0;
    });
  }
  if (failures.length > 0) throw failures[0];
  return found;
}

/**
 * Reads one of our charges from the PSP and settles it.
 * @returns how many Pix were new; 0 for a charge that is not ours
 * @throws PixUnavailable, PixRefused; Unsettleable
 */
export async function settleOne(
  context: BankContext,
  { txid, endToEndIds }: Told,
  { requestId = null, onSettled }: SettleOptions = {},
): Promise<number> {
  const paymentId = paymentIdOf(txid);
  if (!paymentId || !(await findPayment(context.db, paymentId))) return 0;
  const charge = await context.pix.getCharge(txid);
  if (!charge) throw new Unsettleable('charge_unknown', 'the PSP does not know the charge');
  // The callback of a refund whose response was recorded waits for no lock.
  const hasRefunds = charge.pix.some(({ refunds }) => refunds.length > 0);
  const isOnRecord = hasRefunds && (await missedPix(context, charge.pix)).length === 0;
  const settled = isOnRecord ? undefined : await settleCharge(context, paymentId, charge, requestId);
  if (settled) onSettled?.(settled);
  if (settled && settled.misplaced.length > 0)
    throw new Unsettleable('misplaced', 'a Pix of the charge stands on another payment');
  const shown = new Set(charge.pix.map(({ endToEndId }) => endToEndId));
  if (endToEndIds.some((id) => !shown.has(id)))
    throw new Unsettleable('not_in_charge', 'the charge does not show a Pix that the PSP told of');
  return settled?.newPix ?? 0;
}
