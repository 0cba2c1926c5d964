import type { Observations } from '../observations.ts';
import { centavos, type PaymentEvidence, type RefundShown, sum } from '../verdict/evidence.ts';

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
