import type { PaymentStatus } from './status.ts';

/** What a payment is when a Pix for its charge turns up; amounts in centavos. */
export type Receivable = {
  status: PaymentStatus;
  amount: number;
  reviewAbove: number | null;
  /** A Pix was received for this charge before. */
  received: boolean;
};

/** What a Pix does: moves the payment, or goes back to the payer, whole. */
export type PixEffect =
  | { kind: 'transition'; to: 'approved' | 'review'; reason: string }
  | { kind: 'refund'; reason: 'second_pix' };

/**
 * Decides what a Pix that the PSP confirmed does to its payment (design 5): the first one approves it when the
 * amount is exact and below the store's review threshold, a late one waits in review, any further one goes back.
 */
export function receivePix(payment: Receivable, pixAmount: number): PixEffect {
  if (payment.received) return { kind: 'refund', reason: 'second_pix' };
  if (payment.status === 'not_approved') return review('late');
  if (payment.status !== 'pending') return { kind: 'refund', reason: 'second_pix' };
  if (pixAmount !== payment.amount) return review('amount_differs');
  if (payment.reviewAbove !== null && pixAmount >= payment.reviewAbove) return review('review_above');
  return { kind: 'transition', to: 'approved', reason: 'paid' };
}

function review(reason: string): PixEffect {
  return { kind: 'transition', to: 'review', reason };
}
