import type { PixReceived } from '@payments/database/charges/pix-received';
import type { Refund } from '@payments/database/refunds/refunds';
import { finalAmount, type MoneyFacts } from '@payments/domain/refunds';
import { moneyOf } from '@payments/settlement/balance';
import type { Picture } from '../../admin/payments/picture.ts';

/** Totals of a payment's Pix and refunds, in centavos. */
export type Totals = {
  /** Sum of all Pix. */
  received: number;
  /** Sum of finished refunds. */
  returned: number;
  /** Sum of unfinished refunds. */
  returning: number;
};

export function totalsOf({ pix, refunds }: Pick<Picture, 'pix' | 'refunds'>): Totals {
  return {
    received: sum(pix),
    returned: sum(refunds.filter(({ state }) => state === 'refunded')),
    returning: sum(refunds.filter(isUnderWay)),
  };
}

/** @returns the amount of the payment after an approval, in centavos */
export function approvableAmount(picture: Picture): number {
  const { payment, pix, refunds } = factsOf(picture);
  return finalAmount({ payment: { ...payment, status: 'approved' }, pix, refunds });
}

export function factsOf({ payment, pix, refunds }: Picture): MoneyFacts {
  return { payment: moneyOf(payment), pix, refunds };
}

export function isUnderWay({ state }: Pick<Refund, 'state'>): boolean {
  return state === 'requested' || state === 'processing';
}

function sum(all: readonly Pick<PixReceived, 'amount'>[]): number {
  return all.reduce((total, { amount }) => total + amount, 0);
}
