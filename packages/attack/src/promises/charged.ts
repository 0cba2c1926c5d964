import type { Observations } from '../observations.ts';
import { centavos, type PaymentEvidence } from '../verdict/evidence.ts';

/** @returns the charged amount in centavos: the client's own, if its request got a response */
export function chargedOf({ payments }: Observations, { id, detail }: PaymentEvidence): number {
  return centavos(payments.get(id)?.request.amount ?? detail.charged);
}

/** @returns the refunds that administrators ordered, in centavos; undefined if an order got no response */
export function orderedOf({ payments }: Observations, { id }: PaymentEvidence): number | undefined {
  const seen = payments.get(id);
  if (!seen || seen.unansweredRefunds > 0) return undefined;
  return seen.refunds.reduce((total, { amount }) => total + amount, 0);
}
