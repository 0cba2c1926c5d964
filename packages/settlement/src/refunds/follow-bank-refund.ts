import { endOrder, postponeRefund, reduceRefund } from '@payments/database/refunds/claims';
import { listRefundsOfPix, type Refund } from '@payments/database/refunds/refunds';
import { inTransaction } from '@payments/database/transaction';
import { txidOf } from '@payments/domain/identifiers';
import { leftOf } from '@payments/domain/refunds';
import { isSameId } from '@payments/pix/answers';
import type { ReceivedPix } from '@payments/pix/client';
import { isBelieved, lookPauses, tryAgainAt } from '../answers.ts';
import { balanceHolder, lockHolder } from '../balance.ts';
import type { BankContext } from '../context.ts';
import { settleSeen } from '../pix/settle-charge.ts';
import { askAgainAt, notMade, recordResponse, syncRefunds } from './sync-refunds.ts';

/**
 * Updates a refund that the bank started (MED) from its Pix. A refund that several responses in a row do not show was
 * not made; any later word of the bank revives it. A bank that does not show the Pix says nothing of its refund.
 * @throws PixUnavailable, PixRefused
 */
export async function followBankRefund(context: BankContext, refund: Refund): Promise<void> {
  const { db, now } = context;
  const isOf = ({ id }: { id: string }) => isSameId(id, refund.id);
  const inCharge = await learnFromCharge(context, refund);
  const alone = inCharge?.refunds.some(isOf) ? undefined : await learnFromPix(context, refund.endToEndId);
  const shown = [inCharge, alone].flatMap((pix) => pix?.refunds ?? []).find(isOf);
  if (shown && shown.status !== 'EM_PROCESSAMENTO') return;
  const tryAt = askAgainAt(refund.tries, now());
  if (shown) return postponeRefund(db, refund, { tryAt, error: null, looks: 0 });
  const error = { code: 'refund_not_shown' as const };
  if (!inCharge && !alone) return postponeRefund(db, refund, { tryAt, error });
  const looks = refund.looks + 1;
  if (isBelieved(looks)) {
    await recordResponse(context, refund, notMade(refund), error);
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
  await settleSeen(context, paymentId, charge);
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
    if (await syncRefunds(trx, context, paymentId, pix)) await balanceHolder(trx, context, holder);
  });
  return pix;
}

/**
 * Compares a refused refund with the PSP. The PSP may have it already, also of a try that a restored database has lost, or
 * the bank returned a part (MED), so that ours would exceed what was received. Ours is then reduced to what is left; one
 * of a named amount ends instead. The Pix is asked for by itself, too, where its charge explains nothing.
 * @returns whether that explained the refusal, and whether the PSP showed the Pix: otherwise it says nothing of the refund
 */
export async function fitRefund(
  context: BankContext,
  refund: Refund,
): Promise<{ isExplained: boolean; isShown: boolean }> {
  const { endToEndId } = refund;
  const inCharge = await learnFromCharge(context, refund);
  if (inCharge && (await fitTo(context, refund, inCharge))) return { isExplained: true, isShown: true };
  const alone = await learnFromPix(context, endToEndId);
  const isExplained = alone !== undefined && (await fitTo(context, refund, alone));
  return { isExplained, isShown: inCharge !== undefined || alone !== undefined };
}

/**
 * Asks the PSP once more before a refund is made in the place of another: it may have made that one after all, whatever was
 * concluded of it. The new order then ends, or waits while the PSP is making that one.
 * @returns true if the PSP must not be asked for the new one now
 * @throws PixUnavailable, PixRefused
 */
export async function givesWay(context: BankContext, refund: Refund): Promise<boolean> {
  const { db, now } = context;
  await learnFromPix(context, refund.endToEndId);
  return inTransaction(db, async (trx) => {
    const holder = await lockHolder(trx, refund);
    const all = await listRefundsOfPix(trx, [refund.endToEndId]);
    // A restored database orders again what the bank has made.
    if (all.some(({ id, state }) => id === refund.id && state === 'refunded')) return true;
    const earlier = replacedBy(refund, all);
    if (earlier.some(({ state }) => state === 'processing')) {
      await postponeRefund(trx, refund, { tryAt: askAgainAt(refund.tries, now()), error: null });
      return true;
    }
    // One that gave back less than it was to is replaced for the rest.
    const isMade = earlier.some((one) => one.state === 'refunded' && one.amount + refund.wanted > one.wanted);
    if (!isMade) return false;
    await endOrder(trx, refund, { reason: 'returned_already', now: now() });
    await balanceHolder(trx, context, holder);
    return true;
  });
}

/** @returns the refund that this one replaces, and those that were replaced before */
function replacedBy({ replaces }: Refund, all: readonly Refund[]): Refund[] {
  const replaced = all.find(({ id }) => id === replaces);
  return replaced ? [replaced, ...replacedBy(replaced, all)] : [];
}

async function fitTo(context: BankContext, refund: Refund, pix: ReceivedPix): Promise<boolean> {
  const { db, log, now } = context;
  const { id, endToEndId, paymentId } = refund;
  return inTransaction(db, async (trx) => {
    const holder = await lockHolder(trx, refund);
    const refunds = await listRefundsOfPix(trx, [endToEndId]);
    if (refunds.find((one) => one.id === id)?.state !== 'requested') return true;
    const others = refunds.filter((one) => one.id !== id && one.state !== 'failed');
    const left = leftOf(pix, others);
    if (left >= refund.amount) return false;
    if (refund.exact) await endOrder(trx, refund, { reason: 'moreThanIsLeft', now: now() });
    else await reduceRefund(trx, refund, { amount: left, now: now() });
    await balanceHolder(trx, context, holder);
    log.warn({ paymentId, refundId: id, endToEndId, left }, 'the bank had sent back a part by itself');
    return true;
  });
}
