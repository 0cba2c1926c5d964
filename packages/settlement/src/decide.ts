import type { Author } from '@payments/database/changes';
import type { Queryable } from '@payments/database/connection';
import { lockPayment, type StoredPayment } from '@payments/database/payments';
import { listRefunds, orderRefunds } from '@payments/database/refunds';
import { changeStatus } from '@payments/database/status-changes';
import { inTransaction } from '@payments/database/transaction';
import { mayTransition, type PaymentStatus } from '@payments/domain/status';
import type { SettlementContext } from './context.ts';

export type Decision = {
  paymentId: string;
  to: PaymentStatus;
  by: Author;
};

/** The move is not one that an administrator may make now; nothing was written. */
export class TransitionRefused extends Error {
  override readonly name = 'TransitionRefused';
}

/**
 * Moves a payment by an administrator's decision (design 5). Rejecting a review orders the refund of what was
 * received; cancelling a pending payment withdraws its charge.
 * @returns the payment, or undefined when there is none
 * @throws TransitionRefused
 */
export async function decide(
  context: SettlementContext,
  decision: Decision,
): Promise<StoredPayment | undefined> {
  const { db, now, publicUrl } = context;
  return inTransaction(db, async (trx) => {
    const payment = await lockPayment(trx, decision.paymentId);
    if (!payment) return undefined;
    await assertAllowed(trx, payment, decision.to);
    const { to, by } = decision;
    const { reason, requestId } = by;
    const at = now();
    const changed = await changeStatus(trx, {
      payment,
      to,
      actor: 'administrator',
      by,
      reason,
      requestId,
      now: at,
      publicUrl,
    });
    if (payment.status === 'review' && to === 'not_approved') {
      await orderRefunds(trx, { paymentIds: [payment.id], reason: 'rejected', now: at });
    }
    return changed;
  });
}

async function assertAllowed(trx: Queryable, payment: StoredPayment, to: PaymentStatus): Promise<void> {
  if (!mayTransition(payment.status, to, 'administrator')) {
    throw new TransitionRefused(`A transição de ${payment.status} para ${to} não é permitida.`);
  }
  if (payment.status !== 'review' || to !== 'approved') return;
  // Money that is on its way back can't be approved any more.
  const refunds = await listRefunds(trx, payment.id);
  if (refunds.some((refund) => refund.reason !== 'second_pix' && refund.state !== 'failed')) {
    throw new TransitionRefused('O pagamento está sendo devolvido.');
  }
}
