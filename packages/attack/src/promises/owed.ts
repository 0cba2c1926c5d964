import { type BankPix, centavos, type PaymentEvidence, sum } from '../verdict/evidence.ts';
import { countedPix, isClaimable, isRefundable, keptOf, returnedByUs } from './bank-facts.ts';
import { orderedOf } from './charged.ts';
import type { Case } from './promise.ts';

/** The service shows as owed all that the bank refused and that must still go back. */
export function owed(run: Case, payment: PaymentEvidence): string[] {
  return (payment.bank?.pix ?? []).flatMap((pix) => {
    const missing = missingOf(run, payment, pix);
    return missing === undefined ? [] : isHidden(run, payment, pix, missing);
  });
}

/** @returns centavos of a Pix that should have gone back; undefined if the ordered amount is unknown */
function missingOf({ observations }: Case, payment: PaymentEvidence, pix: BankPix): number | undefined {
  const left = keptOf(pix);
  if (isClaimable(payment, pix)) return left;
  if (!isRefundable(payment.detail.status) || pix !== countedPix(payment)) return 0;
  const ordered = orderedOf(observations, payment);
  return ordered === undefined ? undefined : Math.min(left, Math.max(0, ordered - returnedByUs(pix)));
}

function isHidden({ evidence }: Case, { detail }: PaymentEvidence, pix: BankPix, missing: number): string[] {
  const { endToEndId, devolucoes } = pix;
  const of = (refund: { endToEndId: string }) => refund.endToEndId === endToEndId;
  const shown = owedIn(evidence.refundsNotMade.filter(of));
  const what = `of Pix ${endToEndId} ${missing} centavos are to go back`;
  if (owedIn(detail.refunds.filter(of)) !== shown)
    return [`${what}, and the list of refunds and the payment differ in what is owed`];
  // A refund that waits for another order is not owed.
  const isWaiting = detail.refunds.filter(of).some(({ orderAgainAt }) => orderAgainAt !== null);
  if (shown !== missing && !(isWaiting && shown < missing))
    return [`it is ${detail.status}, ${what}, and ${shown} are shown as owed`];
  const isRefused = devolucoes.some(
    ({ status, natureza }) => status === 'NAO_REALIZADO' && natureza === 'ORIGINAL',
  );
  return missing === 0 || isRefused ? [] : [`${what}, and the bank has refused none of it`];
}

function owedIn(refunds: readonly { owedAmount: number | null }[]): number {
  return sum(refunds.map(({ owedAmount }) => centavos(owedAmount ?? 0)));
}
