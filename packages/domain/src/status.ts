/** The statuses of a payment, in the order of the contract (Contract: status). */
export const paymentStatuses = [
  'pending',
  'approved',
  'review',
  'not_approved',
  'paid',
  'withdrawal_processing',
  'receipt_sent',
  'rejected',
] as const;

export type PaymentStatus = (typeof paymentStatuses)[number];

type Money = {
  /** It confirms money: the payment's `amount` is what was received and not given back. */
  confirmed: boolean;
  /** Its withdrawal has begun, however that ended. */
  paidOut: boolean;
};

const money: Record<PaymentStatus, Money> = {
  pending: { confirmed: false, paidOut: false },
  approved: { confirmed: true, paidOut: false },
  review: { confirmed: false, paidOut: false },
  not_approved: { confirmed: false, paidOut: false },
  paid: { confirmed: true, paidOut: false },
  withdrawal_processing: { confirmed: true, paidOut: true },
  receipt_sent: { confirmed: true, paidOut: true },
  rejected: { confirmed: true, paidOut: true },
};

export const paidOutStatuses = paymentStatuses.filter((status) => money[status].paidOut);

export function isConfirmed(status: PaymentStatus): boolean {
  return money[status].confirmed;
}

export function isPaidOut(status: PaymentStatus): boolean {
  return money[status].paidOut;
}

/** The mover of a status: the bank side (a Pix, an expiry, a review's time-out, a refund), an administrator, or the store. */
export type Mover = 'psp' | 'expiry' | 'review-timeout' | 'refund' | 'administrator' | 'store';

/** @returns whether somebody decided, an administrator or the store, and not the bank or a rule of the service */
export function isDecision(actor: string): boolean {
  return actor === 'administrator' || actor === 'store';
}

/** Why a rule of the service changed a status. A person's reason is in words of their own. */
export type ChangeReason =
  | ReviewReason
  | 'paid'
  | 'expired'
  | 'removed_at_bank'
  | 'review_timeout'
  | 'refunded'
  | 'returned_by_bank';

/** Why a Pix puts its payment in review. */
export type ReviewReason = 'late' | 'cancelled' | 'amount_differs' | 'review_above';

type Transitions = Record<PaymentStatus, Partial<Record<PaymentStatus, readonly Mover[]>>>;

const allowed = {
  pending: {
    approved: ['psp'],
    review: ['psp'],
    not_approved: ['expiry', 'refund', 'administrator', 'store'],
  },
  // A Pix that was paid in time and seen late approves.
  not_approved: { approved: ['psp'], review: ['psp'] },
  review: {
    approved: ['administrator'],
    // A restored review that was decided before: its refund stands at the bank.
    not_approved: ['administrator', 'review-timeout', 'refund'],
  },
  approved: { paid: ['administrator'], not_approved: ['refund'] },
  paid: { withdrawal_processing: ['administrator'], not_approved: ['refund'] },
  withdrawal_processing: { receipt_sent: ['administrator'], rejected: ['administrator'] },
  rejected: { withdrawal_processing: ['administrator'] },
  receipt_sent: {},
} as const satisfies Transitions;

type MoversOf<From extends PaymentStatus, To> = To extends keyof (typeof allowed)[From]
  ? (typeof allowed)[From][To]
  : readonly [];

/** A transition that an administrator may make, by its two statuses: `review approved`. */
export type AdministratorTransition = {
  [From in PaymentStatus]: {
    [To in PaymentStatus]: 'administrator' extends (MoversOf<From, To> & readonly Mover[])[number]
      ? `${From} ${To}`
      : never;
  }[PaymentStatus];
}[PaymentStatus];

const transitions: Transitions = allowed;

/** @returns whether this actor may make the transition (Contract: transitions) */
export function mayTransition(from: PaymentStatus, to: PaymentStatus, actor: Mover): boolean {
  return transitions[from][to]?.includes(actor) ?? false;
}
