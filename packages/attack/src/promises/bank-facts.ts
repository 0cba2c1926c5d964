import type { Window } from '../faults/fault.ts';
import { type BankPix, centavos, type PaymentEvidence, sum } from '../verdict/evidence.ts';
import { type Case, ofEachPayment } from './promise.ts';

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

/** Promise 12: nobody saw two codes of one payment, and a charge that two banks know is removed at one. */
export const oneBank = ofEachPayment(12, (payment, run) => [
  ...codes(run, payment),
  ...payment.leftovers
    .filter(({ status }) => status === 'ATIVA' && !isDisturbed(run.windows, payment))
    .map(({ bank }) => `${bank} took it unheard, and its charge there was not removed`),
]);

function codes({ observations, evidence }: Case, { id, read, detail }: PaymentEvidence): string[] {
  const told = observations.visits.filter(({ event }) => event.id === id).map(({ event }) => event);
  const listed = [...evidence.lists.values()].flat().filter((one) => one.id === id);
  const seen = [observations.payments.get(id)?.body, read.body, detail, ...told, ...listed];
  const different = new Set(seen.flatMap((body) => body?.qrCopyPaste ?? []));
  return different.size > 1 ? [`${different.size} codes of it were shown`] : [];
}

// From the first possible look at what a bank may have taken until the charge expires.
const looks = { fromMs: 12_000, toMs: 30_000 };
const recoveryMs = 5_000;

const hindering: readonly Window['kind'][] = ['simulator', 'dispatcher', 'postgres'];

/** True if a fault may have kept the charge from being removed before it expired by itself. */
function isDisturbed(windows: readonly Window[], { detail }: PaymentEvidence): boolean {
  const createdAt = Date.parse(detail.createdAt);
  return windows.some(
    ({ kind, from, to }) =>
      hindering.includes(kind) && from < createdAt + looks.toMs && to + recoveryMs > createdAt + looks.fromMs,
  );
}
