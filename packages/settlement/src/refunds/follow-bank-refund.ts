import { postponeRefund } from '@payments/database/refunds/claims';
import type { Refund } from '@payments/database/refunds/refunds';
import { inTransaction } from '@payments/database/transaction';
import { txidOf } from '@payments/domain/identifiers';
import type { ReceivedPix } from '@payments/pix/client';
import { balanceOf, lockHolder } from '../balance-of.ts';
import type { BankContext } from '../context.ts';
import { isBelieved, lookPauses } from '../looks.ts';
import { tryAgainAt } from '../pause.ts';
import { settleCharge } from '../pix/settle-charge.ts';
import { askAgainAt, notMade, recordResponse, syncRefunds } from './sync-refunds.ts';

/**
 * Updates a refund that the bank started (MED) from its Pix. A refund that several responses in a row do not show was
 * not made; any later word of the bank revives it.
 * @throws PixUnavailable, PixRefused; an error if the bank does not show the Pix
 */
export async function followBankRefund(context: BankContext, refund: Refund): Promise<void> {
  const { db, now } = context;
  const isOf = ({ id }: { id: string }) => id === refund.id;
  const inCharge = await learnFromCharge(context, refund);
  const shown =
    inCharge?.refunds.find(isOf) ?? (await learnFromPix(context, refund.endToEndId))?.refunds.find(isOf);
  if (shown && shown.status !== 'EM_PROCESSAMENTO') return;
  if (shown)
    return postponeRefund(db, refund, { tryAt: askAgainAt(refund.tries, now()), error: null, looks: 0 });
  const looks = refund.looks + 1;
  const error = 'the bank shows it no more';
  if (isBelieved(looks)) {
    await recordResponse(context, refund, notMade(refund, error), { concluded: true });
    return;
  }
  await postponeRefund(db, refund, { tryAt: tryAgainAt(looks, now(), lookPauses), error, looks });
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

/** Reads a Pix by itself, since its charge may not show it, or not all of its refunds. */
export async function learnFromPix(
  context: BankContext,
  endToEndId: string,
): Promise<ReceivedPix | undefined> {
  const pix = await context.pix.getPix(endToEndId);
  if (!pix) return undefined;
  await inTransaction(context.db, async (trx) => {
    const holder = await lockHolder(trx, { paymentId: null, endToEndId });
    const paymentId = 'payment' in holder ? holder.payment.id : null;
    if (await syncRefunds(trx, context, paymentId, pix)) await balanceOf(trx, context, holder);
  });
  return pix;
}
