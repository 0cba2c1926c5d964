/** A store's price for each payment: `ppm` in millionths of the amount (1.5 % is 15,000), `fixed` in centavos. */
export type FeeTerms = { ppm: number | null; fixed: number | null };

export type Fees = { feeAmount: number | null; liquidValue: number | null };

/**
 * Splits an amount into fee and net value, in centavos (Contract: fees). The percentage rounds half up. A fee is at
 * most the amount, so `feeAmount + liquidValue = amount` and neither is negative. Both are null for a store without a
 * fee.
 */
export function feesOf(amount: number, terms: FeeTerms): Fees {
  if (terms.ppm === null && terms.fixed === null) return { feeAmount: null, liquidValue: null };
  const percentage = Math.floor((amount * (terms.ppm ?? 0) + 500_000) / 1_000_000);
  const feeAmount = Math.min(amount, percentage + (terms.fixed ?? 0));
  return { feeAmount, liquidValue: amount - feeAmount };
}
