import type { PaymentStatus } from './status.ts';

/** What a payment is when a Pix for its charge turns up; amounts in centavos. */
export type Receivable = {
  status: PaymentStatus;
  charged: number;
  reviewAbove: number | null;
  /** A Pix was received for this charge before. */
  received: boolean;
  /** An administrator had given the payment up. */
  cancelled: boolean;
  /** Until when the charge could be paid. */
  deadline: Date;
};

/** A Pix as it is seen; amounts in centavos. */
export type NewPix = {
  amount: number;
  /** What has not gone back of it already. */
  kept: number;
  paidAt: Date;
};

/** What a Pix does: moves the payment, or goes back to the payer, whole. */
export type PixEffect =
  | { kind: 'transition'; to: 'approved' | 'review'; reason: string }
  /** All of it had gone back before it was seen. */
  | { kind: 'gone' }
  | { kind: 'refund'; reason: 'second_pix' };

/**
 * Decides what a Pix that the PSP confirmed does to its payment: the first one approves it when its amount is exact, it
 * was paid in time and it stays below the store's review threshold. Any other first one waits in review; a further one
 * goes back. A Pix paid in time approves also a payment that was closed before it was seen. One of which nothing is left
 * approves nothing.
 */
export function receivePix(payment: Receivable, pix: NewPix): PixEffect {
  const isFirst = !payment.received && (payment.status === 'pending' || payment.status === 'not_approved');
  if (!isFirst) return { kind: 'refund', reason: 'second_pix' };
  if (pix.kept === 0) return { kind: 'gone' };
  if (payment.cancelled) return review('cancelled');
  if (pix.paidAt > payment.deadline) return review('late');
  if (pix.amount !== payment.charged) return review('amount_differs');
  if (payment.reviewAbove !== null && pix.amount >= payment.reviewAbove) return review('review_above');
  return { kind: 'transition', to: 'approved', reason: 'paid' };
}

function review(reason: string): PixEffect {
  return { kind: 'transition', to: 'review', reason };
}
