import type { Observations } from '../observations.ts';
import { centavos, type PaymentEvidence } from '../verdict/evidence.ts';

/** @returns what was asked of the customer, in centavos: the client's own word where its request was answered */
export function chargedOf({ payments }: Observations, { id, detail }: PaymentEvidence): number {
  return centavos(payments.get(id)?.request.amount ?? detail.charged);
}

/** @returns what administrators ordered to go back, in centavos; undefined where an order went without an answer */
export function orderedOf({ payments }: Observations, { id }: PaymentEvidence): number | undefined {
  const seen = payments.get(id);
  if (!seen || seen.unansweredRefunds > 0) return undefined;
  return seen.refunds.reduce((total, { amount }) => total + amount, 0);
}
