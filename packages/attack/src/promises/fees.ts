import type { FeeTerms, PaymentBody } from '../observations.ts';
import { centavos } from '../verdict/evidence.ts';

type Money = Pick<PaymentBody, 'amount' | 'feeAmount' | 'liquidValue'>;

/** @returns the money fields of a payment of this many centavos, by its store's terms: half up, fee up to the amount */
export function moneyOf(amount: number, { feePercent, feeFixed }: FeeTerms): Money {
  const reais = amount / 100;
  if (feePercent === null && feeFixed === null) return { amount: reais, feeAmount: null, liquidValue: null };
  // Ten-thousandths of a percent are integers, and so are their products with centavos.
  const percentage = Math.floor(
    (amount * Math.round((feePercent ?? 0) * 10_000) * 2 + 1_000_000) / 2_000_000,
  );
  const fee = Math.min(amount, percentage + centavos(feeFixed ?? 0));
  return { amount: reais, feeAmount: fee / 100, liquidValue: (amount - fee) / 100 };
}

/** @returns whether the shown money is the expected, to the centavo */
export function isMoney(shown: Money, expected: Money): boolean {
  const { amount, feeAmount, liquidValue } = shown;
  return (
    amount === expected.amount && feeAmount === expected.feeAmount && liquidValue === expected.liquidValue
  );
}

/** @returns an amount and its fees as text */
export function say({ amount, feeAmount, liquidValue }: Money): string {
  return `${amount} (fee ${feeAmount}, net ${liquidValue})`;
}
