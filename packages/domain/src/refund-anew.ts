import type { PaymentStatus } from './status.ts';

/** A refund of which a person asks that it be ordered again, and what surrounds it. */
export type RefundToRepeat = {
  origin: 'service' | 'bank';
  state: 'requested' | 'processing' | 'refunded' | 'failed';
  reason: string;
  /** Another was ordered for the same Pix since. */
  isReplaced: boolean;
  paymentStatus: PaymentStatus;
};

/** Where what was received is not the store's: there, a refund that failed is still owed. */
export const refundableStatuses = ['review', 'not_approved'] as const satisfies PaymentStatus[];

/**
 * Judges whether a refund may be ordered anew: one of ours that the bank refused (API Pix 2.9, `NAO_REALIZADO`), once,
 * while its money is still owed to the payer. A second Pix is owed whatever became of the payment.
 * @returns why not, or null where it may
 */
export function refusalToRefundAnew(refund: RefundToRepeat): string | null {
  if (refund.origin === 'bank') return 'A devolução foi iniciada pelo banco.';
  if (refund.state !== 'failed') return 'A devolução não foi recusada pelo banco.';
  if (refund.isReplaced) return 'A devolução já foi solicitada novamente.';
  const isOwed =
    refund.reason === 'second_pix' || refundableStatuses.some((status) => status === refund.paymentStatus);
  return isOwed ? null : `O valor de um pagamento com status ${refund.paymentStatus} não é devolvido.`;
}
