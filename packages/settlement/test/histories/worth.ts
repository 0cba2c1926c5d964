import type { PaymentStatus } from '@payments/domain/status';
import { isAlive, isMade, isOurs, type Pix, returned } from './facts.ts';
import { type Model, standing } from './model.ts';
import type { Worth } from './service.ts';

const confirmed: readonly PaymentStatus[] = [
  'approved',
  'paid',
  'withdrawal_processing',
  'receipt_sent',
  'rejected',
];

/** @returns the amount and fees of a payment in its status: what was charged, or what came and was not given back */
export function worth(model: Model): Worth {
  const { status, charged } = model;
  const pix = standing(model);
  const amount =
    pix && confirmed.includes(status) ? Math.max(0, pix.amount - returned(pix, isMade)) : charged;
  return { status, amount, ...feesOf(amount, model) };
}

function feesOf(amount: number, { terms: { percent, fixed } }: Model): Pick<Worth, 'fee' | 'net'> {
  if (percent === null && fixed === null) return { fee: null, net: null };
  // Hundredths of a percent are integers, which makes half a centavo exact.
  const part = Math.floor((amount * Math.round((percent ?? 0) * 100) * 2 + 10_000) / 20_000);
  const fee = Math.min(amount, part + (fixed ?? 0));
  return { fee, net: amount - fee };
}

/** @returns what the service may give back of a Pix: all of it, or what people ordered */
export function claim(model: Model, { id, amount }: Pix): number {
  const { status, isTimedOut, ordered } = model;
  const goesWhole = id !== model.standsOn || status === 'not_approved' || (status === 'review' && isTimedOut);
  return goesWhole ? amount : Math.min(amount, ordered);
}

/** @returns what the payer can still claim of a Pix, beyond what went back, is in progress or was requested */
export function missing(model: Model, pix: Pix): number {
  const isPaidOut =
    pix.id === model.standsOn && ['withdrawal_processing', 'receipt_sent', 'rejected'].includes(model.status);
  if (isPaidOut) return 0;
  const byBank = returned(pix, (one) => !isOurs(one) && isAlive(one));
  const byUs = returned(pix, (one) => isOurs(one) && isAlive(one));
  return Math.max(0, Math.min(claim(model, pix), pix.amount - byBank) - byUs);
}
