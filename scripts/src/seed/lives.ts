import { dispatcherSettings } from '@payments/dispatcher/settings';
import type { PaymentStatus } from '@payments/domain/status';

/** An event in a payment's life after its creation. A `share` is a part of its amount. */
export type Step =
  | { kind: 'pay'; share?: number; refusesRefunds?: boolean; until: PaymentStatus }
  | { kind: 'pay-again' }
  | { kind: 'expire' }
  | { kind: 'move'; to: PaymentStatus }
  | { kind: 'refund'; share: number }
  | { kind: 'refuse-again'; refusals: number }
  | { kind: 'take-back'; share: number };

/** The steps of a payment, each with the minutes since the one before: at least, at most. */
export type Life = readonly (readonly [from: number, to: number, step: Step])[];

export const expiryMinutes = 15;
const dayOfMinutes = 24 * 60;

const soon = [1, 9] as const;
const nextDay = [16 * 60, dayOfMinutes] as const;
const later = [2 * dayOfMinutes, 6 * dayOfMinutes] as const;

const paid = (until: PaymentStatus, share?: number): Life => [
  [...soon, { kind: 'pay', until, ...(share !== undefined && { share }) }],
];
const moved = (...statuses: PaymentStatus[]): Life =>
  statuses.map((to) => [...nextDay, { kind: 'move', to }] as const);
const decided = (to: PaymentStatus): Life => [[3, 14, { kind: 'move', to }]];

// A charge has two minutes of grace, and its creation may be two minutes late (plan-month.ts).
const expiredAfter = expiryMinutes + 4.1;

// Each order of a refused refund counts its pause from the refusal before, which may be two minutes late as well.
const pauses = String(dispatcherSettings.properties.REFUND_RETRY_SECONDS.default)
  .split(',')
  .map((seconds) => Number(seconds) / 60);
const refusedUntilOwed: Life = pauses.map((pause, index) => [
  pause + 2.1,
  pause + 2.3,
  { kind: 'refuse-again', refusals: index + 2 },
]);

export const lives = {
  approved: paid('approved'),
  paid: [...paid('approved'), ...moved('paid')],
  withdrawing: [...paid('approved'), ...moved('paid', 'withdrawal_processing')],
  withdrawn: [...paid('approved'), ...moved('paid', 'withdrawal_processing', 'receipt_sent')],
  rejected: [...paid('approved'), ...moved('paid', 'withdrawal_processing', 'rejected')],
  expired: [[expiredAfter, expiredAfter + 0.2, { kind: 'expire' }]],
  cancelled: [[...soon, { kind: 'move', to: 'not_approved' }]],
  partlyRefunded: [...paid('approved'), [...nextDay, { kind: 'refund', share: 0.3 }]],
  refunded: [...paid('approved'), [...nextDay, { kind: 'refund', share: 1 }]],
  takenBack: [...paid('approved'), [...later, { kind: 'take-back', share: 1 }]],
  partlyTakenBack: [...paid('approved'), [...later, { kind: 'take-back', share: 0.5 }]],
  paidTwice: [...paid('approved'), [...soon, { kind: 'pay-again' }]],
  reviewedWell: [...paid('review', 0.9), ...decided('approved')],
  reviewedBadly: [...paid('review', 0.5), ...decided('not_approved')],
  // The bank refuses each refund of this Pix, until a person must act.
  owed: [
    [...soon, { kind: 'pay', until: 'approved', refusesRefunds: true }],
    [...nextDay, { kind: 'refund', share: 1 }],
    ...refusedUntilOwed,
  ],
  pending: [],
  inReview: paid('review', 0.8),
  largeInReview: paid('review'),
} as const satisfies Record<string, Life>;

export type LifeName = keyof typeof lives;

const often: readonly [LifeName, number][] = [
  ['approved', 15],
  ['paid', 5],
  ['withdrawn', 4],
  ['expired', 3],
];
const rare: readonly LifeName[] = [
  'withdrawing',
  'rejected',
  'cancelled',
  'partlyRefunded',
  'refunded',
  'takenBack',
  'partlyTakenBack',
  'paidTwice',
  'reviewedWell',
  'reviewedBadly',
];

/** The lives of some forty payments: each occurs, the usual ones more often. */
export const deck: readonly LifeName[] = [
  ...often.flatMap(([name, times]) => Array.from({ length: times }, () => name)),
  ...rare,
];
