import type { Queryable } from '@payments/database/connection';
import { recordRefundProgress } from '@payments/database/refund-claims';
import { listRefunds, type Refund } from '@payments/database/refunds';
import { insertBankRefund } from '@payments/database/refunds-of-bank';
import type { RefundState } from '@payments/database/schema';
import type { Refund as PspRefund, ReceivedPix } from '@payments/pix/client';
import type { SettlementContext } from './context.ts';
import { endTimedOutReview } from './end-review.ts';

const askAgainMs = 5_000;

const stateOf: Record<PspRefund['status'], RefundState> = {
  EM_PROCESSAMENTO: 'processing',
  DEVOLVIDO: 'refunded',
  NAO_REALIZADO: 'failed',
};

/** @returns the state in which a refund is by what the PSP says of it (API Pix 2.9, `devolucoes`) */
export function refundStateOf(refund: PspRefund): RefundState {
  return stateOf[refund.status];
}

/** @returns when a refund of ours in this state is to be asked after again; null for one that has ended */
export function askAgainAt(state: RefundState, now: Date): Date | null {
  return state === 'processing' ? new Date(now.getTime() + askAgainMs) : null;
}

/**
 * Enters what a Pix says of its refunds: those that the bank started itself (MED) become known, and ours move on
 * without waiting to be asked after.
 */
export async function syncRefunds(
  trx: Queryable,
  context: SettlementContext,
  paymentId: string,
  pix: ReceivedPix,
): Promise<void> {
  if (pix.refunds.length === 0) return;
  const known = new Map(
    (await listRefunds(trx, paymentId))
      .filter((refund) => refund.endToEndId === pix.endToEndId)
      .map((refund) => [refund.id, refund]),
  );
  for (const refund of pix.refunds) {
    const ours = known.get(refund.id);
    if (ours) await moveOn(trx, context, ours, refund);
    else await enterBankRefund(trx, context, { paymentId, endToEndId: pix.endToEndId }, refund);
  }
  await endTimedOutReview(trx, context, paymentId);
}

async function enterBankRefund(
  trx: Queryable,
  { now, log }: SettlementContext,
  ids: { paymentId: string; endToEndId: string },
  refund: PspRefund,
): Promise<void> {
  const { id, amount, rtrId } = refund;
  const reason = refund.nature ?? 'bank';
  const state = refundStateOf(refund);
  await insertBankRefund(trx, { ...ids, id, amount, reason, state, rtrId, now: now() });
  log.warn({ ...ids, refundId: id, reason, state }, 'the bank refunds a Pix by itself');
}

async function moveOn(
  trx: Queryable,
  { now, log }: SettlementContext,
  { id, endToEndId, paymentId, origin, state: before }: Refund,
  refund: PspRefund,
): Promise<void> {
  const state = refundStateOf(refund);
  if (state === before) return;
  const tryAt = origin === 'service' ? askAgainAt(state, now()) : null;
  const { rtrId, reason: error } = refund;
  const moved = await recordRefundProgress(trx, { id, endToEndId, state, rtrId, error, tryAt, now: now() });
  const ids = { paymentId, refundId: id, endToEndId };
  if (moved && state === 'failed') log.error({ ...ids, reason: error }, 'the PSP did not make a refund');
}
