import type { Charge } from '@payments/pix/client';

/** The Pix that paid the charge; `amount` in centavos. */
export type Paid = { endToEndId: string; amount: number };

/** @returns undefined while nobody has paid */
export function paidBy(charge: Charge | null): Paid | undefined {
  const pix = charge?.pix[0];
  return pix && { endToEndId: pix.endToEndId, amount: pix.amount };
}

export function inWords({ amount, endToEndId }: Paid): string {
  return `R$ ${(amount / 100).toFixed(2).replace('.', ',')} as ${endToEndId}`;
}
