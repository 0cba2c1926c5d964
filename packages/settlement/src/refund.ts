import { lockPayment } from '@payments/database/payments';
import {
  type ClaimedRefund,
  claimDueRefunds,
  postponeRefund,
  recordRefundProgress,
} from '@payments/database/refund-claims';
import { inTransaction } from '@payments/database/transaction';
import type { Refund } from '@payments/pix/client';
import { PixRefused } from '@payments/pix/errors';
import type { SettlementContext } from './context.ts';
import { endIfTimedOut } from './end-review.ts';
import { fitRefund } from './fit-refund.ts';
import { askAgainAt, refundStateOf } from './sync-refunds.ts';

// What a killed process was about is taken up again soon. Should a PSP be slower than that, it refuses the second use
// of the same id, and the refund is found there.
const leaseMs = 12_000;
const longestPauseMs = 10 * 60_000;

export type DueRefunds = {
  /** How many are taken up, at most. */
  limit: number;
  /** Only that payment's. */
  paymentId?: string;
  /** Each begins when this resolves; at once unless told. All must have begun well before a lease of 12 s ends. */
  begin?: () => Promise<void>;
};

/**
 * Carries out refunds that are due: asks the PSP for them, or after them.
 * @returns how many were looked at
 */
export async function carryOutRefunds(
  context: SettlementContext,
  { limit, paymentId, begin = async () => {} }: DueRefunds,
): Promise<number> {
  const now = context.now();
  const filter = paymentId === undefined ? {} : { paymentId };
  const claimed = await claimDueRefunds(context.db, { limit, leaseMs, now, ...filter });
  await Promise.all(claimed.map((refund) => begin().then(() => carryOut(context, refund))));
  return claimed.length;
}

async function carryOut(context: SettlementContext, refund: ClaimedRefund): Promise<void> {
  const { log } = context;
  const ids = { paymentId: refund.paymentId, refundId: refund.id, endToEndId: refund.endToEndId };
  try {
    const answer = await askPsp(context, refund);
    await applyAnswer(context, refund, answer);
    if (answer.status === 'NAO_REALIZADO')
      log.error({ ...ids, reason: answer.reason }, 'the PSP did not make a refund');
    else log.info({ ...ids, status: answer.status }, 'refund');
  } catch (error) {
    if (isVerdict(error) && (await fitRefund(context, refund))) return;
    const tryAt = await postpone(context, refund, error);
    log.error({ err: error, ...ids, tryAt }, 'a refund could not be asked for; trying again');
  }
}

/** A PUT under a used id is refused, not replayed: after any earlier try, ask first whether the refund exists. */
async function askPsp({ pix }: SettlementContext, refund: ClaimedRefund): Promise<Refund> {
  const known = refund.tries > 1 ? await pix.getRefund(refund.endToEndId, refund.id) : null;
  return known ?? pix.requestRefund(refund.endToEndId, refund.id, refund.amount);
}

async function applyAnswer(context: SettlementContext, refund: ClaimedRefund, answer: Refund): Promise<void> {
  const state = refundStateOf(answer);
  const now = context.now();
  const { id, endToEndId, paymentId } = refund;
  const { rtrId, reason: error } = answer;
  await inTransaction(context.db, async (trx) => {
    const payment = await lockPayment(trx, paymentId);
    const tryAt = askAgainAt(state, now);
    await recordRefundProgress(trx, { id, endToEndId, state, rtrId, error, tryAt, now });
    if (payment) await endIfTimedOut(trx, context, payment);
  });
}

function isVerdict(error: unknown): boolean {
  return error instanceof PixRefused && !error.aboutAccess;
}

async function postpone({ db, now }: SettlementContext, refund: ClaimedRefund, error: unknown) {
  const pauseMs = Math.min(longestPauseMs, 1_000 * 2 ** Math.min(refund.tries, 20));
  const tryAt = new Date(now().getTime() + pauseMs);
  const message = error instanceof Error ? error.message : String(error);
  await postponeRefund(db, refund, { tryAt, error: message });
  return tryAt;
}
