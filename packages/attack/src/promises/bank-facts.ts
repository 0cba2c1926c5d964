import { type BankPix, centavos, type PaymentEvidence, sum } from '../verdict/evidence.ts';

/** A return that the bank made, ours or its own; `at` in epoch milliseconds. */
export type Return = { amount: number; at: number; isOurs: boolean };

/** @returns the first Pix that the payment's bank received, which counts; any other goes back */
export function countedPix({ bank }: Pick<PaymentEvidence, 'bank'>): BankPix | undefined {
  const own = (bank?.pix ?? []).filter(({ isElsewhere }) => !isElsewhere);
  return own.toSorted((a, b) => Date.parse(a.horario) - Date.parse(b.horario))[0];
}

/** @returns the returns of a Pix that the bank made, in centavos */
export function returnsOf({ devolucoes }: BankPix): Return[] {
  return devolucoes
    .filter(({ status }) => status === 'DEVOLVIDO')
    .map(({ valor, natureza, horario }) => ({
      amount: centavos(valor),
      at: Date.parse(horario.liquidacao ?? horario.solicitacao),
      isOurs: natureza === 'ORIGINAL',
    }));
}

/** @returns what the bank still has of a Pix, in centavos */
export function keptOf(pix: BankPix): number {
  return centavos(pix.valor) - sum(returnsOf(pix).map(({ amount }) => amount));
}

/** @returns what went back of a Pix by the service's order, in centavos */
export function returnedByUs(pix: BankPix): number {
  return sum(returnsOf(pix).map(({ amount, isOurs }) => (isOurs ? amount : 0)));
}

const confirming = ['approved', 'paid', 'withdrawal_processing', 'receipt_sent', 'rejected'];

/** @returns whether a payment's status confirms its money */
export function confirmsMoney(status: string): boolean {
  return confirming.includes(status);
}

/** @returns whether administrators may refund a payment in this status */
export function isRefundable(status: string): boolean {
  return status === 'approved' || status === 'paid';
}

/** @returns whether all that is left of a Pix is due to the payer */
export function isClaimable(payment: PaymentEvidence, pix: BankPix): boolean {
  return pix !== countedPix(payment) || payment.detail.status === 'not_approved';
}
