import type { Queryable } from '@payments/database/connection';
import { lockPayment, type StoredPayment } from '@payments/database/payments';
import { insertPixReceived, listPixReceived } from '@payments/database/pix-received';
import { orderRefunds } from '@payments/database/refunds';
import { changeStatus } from '@payments/database/status-changes';
import { findStore } from '@payments/database/stores';
import { inTransaction } from '@payments/database/transaction';
import { receivePix } from '@payments/domain/receive-pix';
import type { Charge, ReceivedPix } from '@payments/pix/client';
import type { SettlementContext } from './context.ts';
import { syncRefunds } from './sync-refunds.ts';

const notableDifferenceMs = 60 * 60_000;

/** What a charge did to its payment. */
export type Settled = {
  payment: StoredPayment;
  /** Pix that were not known before. */
  newPix: number;
  /** Refunds that were ordered: the caller may carry them out at once. */
  refunds: number;
};

/**
 * Applies all that the PSP says of a charge (every Pix, every refund) to its payment, in one transaction with the
 * payment locked. What was applied before is passed over, so any number of callbacks, scans and replicas may call it.
 * @param charge as read from the PSP, never as a callback told it
 * @returns undefined when there is no such payment
 */
export async function settleCharge(
  context: SettlementContext,
  paymentId: string,
  charge: Charge,
  requestId: string | null = null,
): Promise<Settled | undefined> {
  const settled = await inTransaction(context.db, async (trx) => {
    const payment = await lockPayment(trx, paymentId);
    if (!payment) return undefined;
    const known = new Set((await listPixReceived(trx, paymentId)).map((pix) => pix.endToEndId));
    const result: Settled = { payment, newPix: 0, refunds: 0 };
    for (const pix of byTime(charge.pix)) {
      if (!known.has(pix.endToEndId)) await applyPix(trx, context, result, pix, known.size > 0, requestId);
      known.add(pix.endToEndId);
      await syncRefunds(trx, context, paymentId, pix);
    }
    return result;
  });
  if (settled && settled.newPix > 0) {
    const { payment, newPix, refunds } = settled;
    context.log.info(
      { paymentId, requestId: requestId ?? payment.requestId, status: payment.status, newPix, refunds },
      'settled',
    );
  }
  return settled;
}

function byTime(pix: readonly ReceivedPix[]): ReceivedPix[] {
  return [...pix].sort((a, b) => a.paidAt.getTime() - b.paidAt.getTime());
}

async function applyPix(
  trx: Queryable,
  { now, log, publicUrl }: SettlementContext,
  result: Settled,
  pix: ReceivedPix,
  received: boolean,
  requestId: string | null,
): Promise<void> {
  const { payment } = result;
  const store = await findStore(trx, payment.storeId);
  const effect = receivePix({ ...payment, reviewAbove: store?.reviewAbove ?? null, received }, pix.amount);
  const receivedAt = now();
  const isNew = await insertPixReceived(trx, payment.id, {
    endToEndId: pix.endToEndId,
    amount: pix.amount,
    effect: effect.kind === 'transition' ? effect.to : 'refund',
    paidAt: pix.paidAt,
    receivedAt,
  });
  if (!isNew) return;
  result.newPix += 1;
  // What is late is decided by our own clock; the PSP's is only compared with it.
  const differenceMs = pix.paidAt.getTime() - receivedAt.getTime();
  if (Math.abs(differenceMs) > notableDifferenceMs) {
    const { endToEndId, paidAt } = pix;
    log.warn({ paymentId: payment.id, endToEndId, paidAt, differenceMs }, 'a Pix is dated hours from now');
  }
  if (effect.kind === 'refund') {
    const order = {
      paymentIds: [payment.id],
      endToEndIds: [pix.endToEndId],
      reason: effect.reason,
      now: receivedAt,
    };
    result.refunds += (await orderRefunds(trx, order)).length;
    return;
  }
  const { to, reason } = effect;
  const change = {
    payment,
    to,
    actor: 'psp',
    reason,
    requestId: requestId ?? payment.requestId,
    now: receivedAt,
    publicUrl,
  };
  result.payment = await changeStatus(trx, change);
}
