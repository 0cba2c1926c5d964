import { postponeRefund } from '@payments/database/refunds/claims';
import type { Refund } from '@payments/database/refunds/refunds';
import { inTransaction } from '@payments/database/transaction';
import { txidOf } from '@payments/domain/identifiers';
import type { ReceivedPix } from '@payments/pix/client';
import { balanceOf, lockHolder } from './balance-of.ts';
import type { BankContext } from './context.ts';
import { settleCharge } from './settle-charge.ts';
import { askAgainAt, notMade, recordResponse, syncRefunds } from './sync-refunds.ts';

/**
 * Updates a refund that the bank started (MED) from its Pix. A refund that the Pix no longer shows was not made.
 * @throws PixUnavailable, PixRefused; an error if the bank does not show the Pix
 */
export async function followBankRefund(context: BankContext, refund: Refund): Promise<void> {
  const pix = await learnFromCharge(context, refund);
  if (!pix) throw new Error('the bank does not show the Pix of a refund that it started');
  const shown = pix.refunds.find(({ id }) => id === refund.id);
  if (!shown) await recordResponse(context, refund, notMade(refund, 'the bank shows it no more'));
  if (shown?.status !== 'EM_PROCESSAMENTO') return;
  const tryAt = askAgainAt(refund.tries, context.now());
  await postponeRefund(context.db, refund, { tryAt, error: null });
}

/**
 * Reads a refund's Pix at the PSP, and records what it shows.
 * @returns undefined if the PSP does not show it
 */
export async function learnFromCharge(
  context: BankContext,
  { paymentId, endToEndId }: Pick<Refund, 'paymentId' | 'endToEndId'>,
): Promise<ReceivedPix | undefined> {
  if (paymentId === null) return learnFromPix(context, endToEndId);
  const charge = await context.pix.getCharge(txidOf(paymentId));
  if (!charge) return undefined;
  await settleCharge(context, paymentId, charge);
  return charge.pix.find((one) => one.endToEndId === endToEndId);
}

/** Reads an unmatched Pix by itself, since its charge may not show it. */
async function learnFromPix(context: BankContext, endToEndId: string): Promise<ReceivedPix | undefined> {
  const pix = await context.pix.getPix(endToEndId);
  if (!pix) return undefined;
  await inTransaction(context.db, async (trx) => {
    const holder = await lockHolder(trx, { paymentId: null, endToEndId });
    const paymentId = 'payment' in holder ? holder.payment.id : null;
    if (await syncRefunds(trx, context, paymentId, pix)) await balanceOf(trx, context, holder);
  });
  return pix;
}
