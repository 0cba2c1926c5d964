import {
  type ClaimedRefund,
  claimDueRefunds,
  postponeRefund,
  recordRefundProgress,
} from '@payments/database/refunds/claims';
import { inTransaction } from '@payments/database/transaction';
import type { Refund } from '@payments/pix/client';
import { PixRefused } from '@payments/pix/errors';
import { balanceOf, lockHolder } from './balance-of.ts';
import type { SettlementContext } from './context.ts';
import { fitRefund } from './fit-refund.ts';
import { followBankRefund, learnFromCharge } from './follow-bank-refund.ts';
import { messageOf } from './message.ts';
import { tryAgainAt } from './pause.ts';
import { askAgainAt, refundStateOf } from './sync-refunds.ts';

// What a killed process was about is taken up again soon. Should a PSP be slower than that, it refuses the second use
// of the same id, and the refund is found there.
const leaseMs = 12_000;
const retry = { firstMs: 2_000, longestMs: 10 * 60_000 };

export type DueRefunds = {
  /** How many are taken up, at most. */
  limit: number;
  /** Only that payment's, or that Pix's. */
  paymentId?: string;
  endToEndId?: string;
  /** Each begins when this resolves; at once unless told. All must have begun well before a lease of 12 s ends. */
  begin?: () => Promise<void>;
};

/**
 * Carries out refunds that are due: asks the PSP for them, or after them.
 * @returns how many were looked at
 */
export async function carryOutRefunds(
  context: SettlementContext,
  { begin = async () => {}, ...due }: DueRefunds,
): Promise<number> {
  const now = context.now();
  const claimed = await claimDueRefunds(context.db, { ...due, leaseMs, now });
  await Promise.all(claimed.map((refund) => begin().then(() => carryOut(context, refund))));
  return claimed.length;
}

async function carryOut(context: SettlementContext, refund: ClaimedRefund): Promise<void> {
  const { log } = context;
  const ids = { paymentId: refund.paymentId, refundId: refund.id, endToEndId: refund.endToEndId };
  try {
    if (refund.origin === 'bank') return await followBankRefund(context, refund);
    const answer = await askPsp(context, refund);
    await applyAnswer(context, refund, answer);
    if (answer.status !== 'NAO_REALIZADO') return log.info({ ...ids, status: answer.status }, 'refund');
    log.error({ ...ids, reason: answer.reason }, 'the PSP did not make a refund');
    // The bank may have taken the money back by itself meanwhile (MED).
    await learnFromCharge(context, refund);
  } catch (error) {
    const isExplained = await explain(context, refund, error).catch(() => false);
    if (isExplained) return;
    const tryAt = await postpone(context, refund, error);
    log.error({ err: error, ...ids, tryAt }, 'a refund could not be asked for; trying again');
  }
}

/** A PUT under a used id is refused, not replayed: after any earlier try, ask first whether the refund exists. */
async function askPsp({ pix }: SettlementContext, refund: ClaimedRefund): Promise<Refund> {
  const known = refund.tries > 1 ? await pix.getRefund(refund.endToEndId, refund.id) : null;
  return known ?? pix.requestRefund(refund.endToEndId, refund.id, refund.amount);
}

// After a try whose outcome nobody knows, a refusal may only say that the id is in use: the bank has minutes to show it.
const triesUntilBelieved = 8;

/** @returns whether the failure is a verdict on this refund, and was entered as such */
async function explain(context: SettlementContext, refund: ClaimedRefund, error: unknown): Promise<boolean> {
  const isVerdict = error instanceof PixRefused && !error.aboutAccess && error.operation === 'requestRefund';
  if (!isVerdict) return false;
  if (await fitRefund(context, refund)) return true;
  if (refund.tries > 1 && refund.tries < triesUntilBelieved) return false;
  const { id, amount } = refund;
  const reason = messageOf(error);
  await applyAnswer(context, refund, {
    id,
    amount,
    rtrId: null,
    nature: null,
    status: 'NAO_REALIZADO',
    reason,
  });
  const { paymentId, endToEndId } = refund;
  context.log.error({ paymentId, refundId: id, endToEndId, reason }, 'the PSP refused a refund');
  return true;
}

async function applyAnswer(context: SettlementContext, refund: ClaimedRefund, answer: Refund): Promise<void> {
  const state = refundStateOf(answer);
  const { id, endToEndId, tries } = refund;
  const { rtrId, amount, reason: error } = answer;
  await inTransaction(context.db, async (trx) => {
    const holder = await lockHolder(trx, refund);
    const now = context.now();
    const tryAt = askAgainAt(state, tries, now);
    await recordRefundProgress(trx, { id, endToEndId, state, amount, rtrId, error, tryAt, now });
    await balanceOf(trx, context, holder);
  });
}

async function postpone({ db, now }: SettlementContext, refund: ClaimedRefund, error: unknown) {
  const tryAt = tryAgainAt(refund.tries, now(), retry);
  await postponeRefund(db, refund, { tryAt, error: messageOf(error) });
  return tryAt;
}
