import type { Queryable } from '@payments/database/connection';
import { lockPayment } from '@payments/database/payments';
import { listPixReceived } from '@payments/database/pix-received';
import {
  type ClaimedRefund,
  claimDueRefunds,
  listRefunds,
  orderRefunds,
  postponeRefund,
  recordRefundProgress,
} from '@payments/database/refunds';
import { changeStatus } from '@payments/database/status-changes';
import type { Refund } from '@payments/pix/client';
import type { SettlementContext } from './context.ts';
import { refundStateOf } from './sync-refunds.ts';

const leaseMs = 60_000;
const askAgainMs = 5_000;
const longestPauseMs = 10 * 60_000;

/**
 * Carries out refunds that are due: asks the PSP for them, or after them.
 * @param paymentId only that payment's
 * @returns how many were looked at
 */
export async function carryOutRefunds(
  context: SettlementContext,
  { limit, paymentId }: { limit: number; paymentId?: string },
): Promise<number> {
  const now = context.now();
  const filter = paymentId === undefined ? {} : { paymentId };
  const claimed = await claimDueRefunds(context.db, { limit, leaseMs, now, ...filter });
  await Promise.all(claimed.map((refund) => carryOut(context, refund)));
  return claimed.length;
}

async function carryOut(context: SettlementContext, refund: ClaimedRefund): Promise<void> {
  const { db, log } = context;
  const ids = { paymentId: refund.paymentId, refundId: refund.id, endToEndId: refund.endToEndId };
  try {
    const answer = await askPsp(context, refund);
    await applyAnswer(context, refund, answer);
    if (answer.status === 'NAO_REALIZADO')
      log.error({ ...ids, reason: answer.reason }, 'the PSP did not make a refund');
    else log.info({ ...ids, status: answer.status }, 'refund');
  } catch (error) {
    const pauseMs = Math.min(longestPauseMs, 1_000 * 2 ** Math.min(refund.tries, 20));
    const tryAt = new Date(context.now().getTime() + pauseMs);
    log.error({ err: error, ...ids, tryAt }, 'a refund could not be asked for; trying again');
    await postponeRefund(db, refund, {
      tryAt,
      error: error instanceof Error ? error.message : String(error),
    });
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
  const tryAt = state === 'processing' ? new Date(now.getTime() + askAgainMs) : null;
  await context.db.transaction().execute(async (trx) => {
    await lockPayment(trx, refund.paymentId);
    const { id, endToEndId } = refund;
    await recordRefundProgress(trx, {
      id,
      endToEndId,
      state,
      rtrId: answer.rtrId,
      error: answer.reason,
      tryAt,
      now,
    });
    await endTimedOutReview(trx, context, refund.paymentId, now);
  });
}

/** A review that timed out ends when the PSP has accepted the refund of all that was received (design 5). */
async function endTimedOutReview(
  trx: Queryable,
  { publicUrl }: SettlementContext,
  paymentId: string,
  now: Date,
): Promise<void> {
  const payment = await lockPayment(trx, paymentId);
  if (payment?.status !== 'review') return;
  const refunds = await listRefunds(trx, paymentId);
  if (!refunds.some((refund) => refund.reason === 'review_timeout')) return;
  const accepted = refunds.filter((refund) => refund.state === 'processing' || refund.state === 'refunded');
  const received = await listPixReceived(trx, paymentId);
  if (sum(accepted) < sum(received)) return;
  const reason = 'review_timeout';
  const { requestId } = payment;
  await changeStatus(trx, {
    payment,
    to: 'not_approved',
    actor: 'review-timeout',
    reason,
    requestId,
    now,
    publicUrl,
  });
}

function sum(list: readonly { amount: number }[]): number {
  return list.reduce((total, { amount }) => total + amount, 0);
}

/**
 * Orders the refund of a payment that has been in review too long (spec 3). Ordering it again changes nothing.
 * @returns whether something was ordered
 */
export async function timeOutReview(
  { db, now }: SettlementContext,
  paymentId: string,
  since: Date,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const payment = await lockPayment(trx, paymentId);
    const overdue =
      payment?.status === 'review' && payment.reviewSince !== null && payment.reviewSince < since;
    if (!overdue) return false;
    const ordered = await orderRefunds(trx, { paymentId, reason: 'review_timeout', now: now() });
    return ordered.length > 0;
  });
}
