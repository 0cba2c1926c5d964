import type { FeeTerms, Observations, PaymentBody } from '../observations.ts';
import { centavos, type PaymentEvidence, type RefundShown, sum } from '../verdict/evidence.ts';
import { countedPix } from './bank-facts.ts';

/** @returns the charged amount in centavos: the client's own, if its request got a response */
export function chargedOf({ payments }: Observations, { id, detail }: PaymentEvidence): number {
  return centavos(payments.get(id)?.request.amount ?? detail.charged);
}

/**
 * @returns the refunds that administrators ordered and that did not end since they fit no more, in centavos; undefined
 * if an order got no response
 */
export function orderedOf({ payments }: Observations, { id, detail }: PaymentEvidence): number | undefined {
  const seen = payments.get(id);
  if (!seen || seen.unansweredRefunds > 0) return undefined;
  const ended = detail.refunds.filter(hasEnded).map(({ amount }) => centavos(amount));
  return sum(seen.refunds.map(({ amount }) => amount)) - sum(ended);
}

const fitsNoMore = 'O valor é maior do que o que resta a devolver deste pagamento.';

/** @returns whether the service ended an order of a named amount, since the bank had taken a part */
export function hasEnded({ state, lastError }: RefundShown): boolean {
  return state === 'failed' && lastError === fitsNoMore;
}

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

// A charge's end is given in whole seconds.
const roundingMs = 1_000;

/** By the bank's dates, a Pix in time is not held as late, and a late one is not approved without a review. */
export function inTime(payment: PaymentEvidence): string[] {
  const pix = countedPix(payment);
  const { bank, detail } = payment;
  const move = detail.events.find(({ actor }) => actor === 'psp');
  if (!pix || !bank || !move) return [];
  const lateMs = Date.parse(pix.horario) - Date.parse(bank.expiraEm);
  const what = `Pix ${pix.endToEndId} was paid ${Math.abs(lateMs)} ms`;
  if (move.reason === 'late' && lateMs < -roundingMs) return [`${what} in time, and is held as late`];
  if (move.status === 'approved' && lateMs > roundingMs) return [`${what} late, and approved it`];
  return [];
}
