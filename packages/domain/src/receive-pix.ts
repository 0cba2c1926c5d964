import type { PaymentStatus, ReviewReason } from './status.ts';

/** A payment at the moment when a Pix for its charge is seen; amounts in centavos. */
export type Receivable = {
  status: PaymentStatus;
  charged: number;
  reviewAbove: number | null;
  /** True if an earlier Pix was received for this charge. */
  received: boolean;
  /** True if an administrator cancelled the payment. */
  cancelled: boolean;
  /** The end of the time in which the charge could be paid. */
  deadline: Date;
};

/** A newly seen Pix; amounts in centavos. */
export type NewPix = {
  amount: number;
  /** The part that has not gone back. */
  kept: number;
  paidAt: Date;
};

/** The effect of a Pix: it moves the payment, or goes back whole to the payer. */
export type PixEffect =
  | { kind: 'transition'; to: 'approved'; reason: 'paid' }
  | { kind: 'transition'; to: 'review'; reason: ReviewReason }
  /** All of it went back before the service saw it. */
  | { kind: 'gone' }
  | { kind: 'refund'; reason: 'second_pix' };

/**
 * Decides what a Pix that the PSP confirmed does to its payment.
 *
 * - The first Pix approves it if the amount is exact, it was paid in time, and it is below the store's review
 *   threshold.
 * - That also holds for a payment that expired before the Pix was seen.
 * - Any other first Pix puts the payment in review.
 * - A further Pix is refunded.
 * - A Pix that went back whole changes nothing.
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

function review(reason: ReviewReason): PixEffect {
  return { kind: 'transition', to: 'review', reason };
}
