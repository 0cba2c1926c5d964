import { type Claim, claimDueRefunds, postponeRefund } from '@payments/database/refunds/claims';
import type { Refund } from '@payments/database/refunds/refunds';
import { bankErrorOf } from '@payments/domain/bank-error';
import type { Refund as PspRefund } from '@payments/pix/client';
import { PixUnavailable } from '@payments/pix/errors';
import { isBelieved, isVerdict, tryAgainAt } from '../answers.ts';
import type { BankContext } from '../context.ts';
import { fitRefund, followBankRefund, givesWay, learnFromCharge } from './follow-bank-refund.ts';
import { askAgainAt, notMade, recordResponse } from './sync-refunds.ts';

// A killed process's refunds are claimed again after this. A slower PSP refuses the second use of an id, and the refund
// is then found there.
const leaseMs = 12_000;
const retry = { firstMs: 2_000, longestMs: 10 * 60_000 };

export type DueRefunds = Pick<Claim, 'limit' | 'paymentId' | 'endToEndId'> & {
  /** Each refund begins when this resolves; at once without it. All must begin well before the lease of 12 s ends. */
  begin?: () => Promise<void>;
};

/**
 * Makes due refunds: asks the PSP for them, or for their state.
 * @returns how many were claimed
 */
export async function carryOutRefunds(
  context: BankContext,
  { begin = async () => {}, ...due }: DueRefunds,
): Promise<number> {
  const now = context.now();
  const claimed = await claimDueRefunds(context.db, { ...due, bank: context.bank, leaseMs, now });
  await Promise.all(claimed.map((refund) => begin().then(() => carryOut(context, refund))));
  return claimed.length;
}

async function carryOut(context: BankContext, refund: Refund): Promise<void> {
  const { log } = context;
  const ids = { paymentId: refund.paymentId, refundId: refund.id, endToEndId: refund.endToEndId };
  try {
    if (refund.origin === 'bank') return await followBankRefund(context, refund);
    const response = await askPsp(context, refund);
    if (!response)
      return log.warn(ids, 'a refund gives way to an earlier one that the bank made, or is making');
    if (response.amount !== refund.amount) return await doubtAmount(context, refund);
    const isNew = await recordResponse(context, refund, response);
    if (response.status !== 'NAO_REALIZADO') return log.info({ ...ids, status: response.status }, 'refund');
    if (isNew) log.error({ ...ids, reason: response.reason }, 'the PSP did not make a refund');
    // The bank may have taken the money back meanwhile (MED).
    await learnFromCharge(context, refund);
  } catch (error) {
    const isExplained = await explain(context, refund, error).catch(() => false);
    if (isExplained) return;
    const tryAt = tryAgainAt(refund.tries, context.now(), retry);
    await postponeRefund(context.db, refund, { tryAt, error: bankErrorOf(error) });
    log.error({ err: error, ...ids, tryAt }, 'a refund could not be asked for; trying again');
  }
}

/**
 * The PSP refuses a PUT with a used id. So after an earlier try, this first asks whether the refund exists.
 * @returns null if it gives way to the refund that it replaces
 */
async function askPsp(context: BankContext, refund: Refund): Promise<PspRefund | null> {
  const { pix } = context;
  const known = refund.tries > 1 ? await pix.getRefund(refund.endToEndId, refund.id) : null;
  if (known) return known;
  if (refund.replaces !== null && (await givesWay(context, refund))) return null;
  return pix.requestRefund(refund.endToEndId, refund.id, refund.amount);
}

/** An answer with another amount than was ordered proves nothing: what the Pix shows counts. */
async function doubtAmount(context: BankContext, refund: Refund): Promise<void> {
  const error = new PixUnavailable('getRefund', 'unreadable', 'devolucao.valor').stored;
  const tryAt = askAgainAt(refund.tries, context.now());
  await postponeRefund(context.db, refund, { tryAt, error });
  await learnFromCharge(context, refund);
}

// After an earlier try, a refusal may only mean that the id is in use. The bank gets minutes to show the refund: a
// wrong belief would order it once more.
const pauses = { firstMs: 40_000, longestMs: 10 * 60_000 };

/** @returns whether the failure is a refusal of this refund, and was recorded or is to be looked into again */
async function explain(context: BankContext, refund: Refund, error: unknown): Promise<boolean> {
  if (!isVerdict(error) || error.operation !== 'requestRefund') return false;
  const { isExplained, isShown } = await fitRefund(context, refund);
  if (isExplained) return true;
  const { paymentId, id: refundId, endToEndId } = refund;
  const { message: reason, stored } = error;
  // Only a look counts in which the bank showed the Pix, and the refund neither by its id nor with the Pix.
  const looks = refund.looks + (isShown ? 1 : 0);
  if (refund.tries > 1 && !isBelieved(looks)) {
    const tryAt = tryAgainAt(looks, context.now(), pauses);
    await postponeRefund(context.db, refund, { tryAt, error: stored, looks });
    context.log.warn({ paymentId, refundId, endToEndId, reason, looks }, 'the PSP may have a refused refund');
    return true;
  }
  await recordResponse(context, refund, notMade(refund), stored);
  context.log.error({ paymentId, refundId, endToEndId, reason }, 'the PSP refused a refund');
  return true;
}
