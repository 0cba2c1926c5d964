import type { PaymentStatus } from './status.ts';

/**
 * A payment as its payer sees it. `preparing` waits for the bank's code; `overdue` is past its time, and a Pix that was
 * paid in time may still be seen.
 */
export type PayerState = 'preparing' | 'waiting' | 'overdue' | 'review' | 'paid' | 'closed';

export type PayerFacts = { status: PaymentStatus; hasCode: boolean; expiresAt: Date };

const afterPending: Record<Exclude<PaymentStatus, 'pending'>, PayerState> = {
  approved: 'paid',
  review: 'review',
  not_approved: 'closed',
  // The payer does not see what the store does with its money later.
  paid: 'paid',
  withdrawal_processing: 'paid',
  receipt_sent: 'paid',
  rejected: 'paid',
};

export function payerState({ status, hasCode, expiresAt }: PayerFacts, now: Date): PayerState {
  if (status !== 'pending') return afterPending[status];
  if (expiresAt <= now) return 'overdue';
  return hasCode ? 'waiting' : 'preparing';
}

/**
 * @returns true if the stream of states ends: nothing more is expected. A closed payment may still be paid by a Pix that its
 * bank reports late, and an open page asks for that now and then
 */
export function isEndState(state: PayerState): boolean {
  return state === 'paid' || state === 'closed';
}
