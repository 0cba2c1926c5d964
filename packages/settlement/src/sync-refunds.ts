import type { Queryable } from '@payments/database/connection';
import { insertBankRefund, listRefunds, recordRefundProgress } from '@payments/database/refunds';
import type { RefundState } from '@payments/database/schema';
import type { ReceivedPix, Refund } from '@payments/pix/client';
import type { SettlementContext } from './context.ts';

const stateOf: Record<Refund['status'], RefundState> = {
  EM_PROCESSAMENTO: 'processing',
  DEVOLVIDO: 'refunded',
  NAO_REALIZADO: 'failed',
};

/** @returns the state in which a refund is by what the PSP says of it (API Pix 2.9, `devolucoes`) */
export function refundStateOf(refund: Refund): RefundState {
  return stateOf[refund.status];
}

/**
 * Enters what a Pix says of its refunds: those that the bank started itself (MED) become known, those of ours that
 * ended are closed. Refunds of ours that are still under way are left to whoever carries them out.
 */
export async function syncRefunds(
  trx: Queryable,
  { now, log }: SettlementContext,
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
    const { id, rtrId, amount } = refund;
    const state = refundStateOf(refund);
    const ids = { id, endToEndId: pix.endToEndId };
    const ours = known.get(id);
    if (!ours) {
      const reason = refund.nature ?? 'bank';
      await insertBankRefund(trx, { ...ids, paymentId, amount, reason, state, rtrId, now: now() });
      log.warn({ paymentId, refundId: id, reason, state }, 'the bank refunds a Pix by itself');
    } else if (ours.origin === 'bank' && ours.state !== state) {
      await recordRefundProgress(trx, {
        ...ids,
        state,
        rtrId,
        error: refund.reason,
        tryAt: null,
        now: now(),
      });
    }
  }
}
