import type { Observations, SeenPayment } from '../observations.ts';
import { type BankPix, centavos, type PaymentEvidence, sum } from '../verdict/evidence.ts';
import { confirmsMoney, keptOf, returnedByUs } from './bank-facts.ts';
import { orderedOf } from './charged.ts';
import { breachOf, type Check, ofEachPayment } from './promise.ts';

/** Promise 4: received money is kept or went back, each Pix acts once, each refund is made once. */
export const money: Check = (run) => [
  ...ofPayments(run),
  ...run.evidence.violations.map((violation) =>
    breachOf(4, undefined, `not API Pix: ${JSON.stringify(violation).slice(0, 300)}`),
  ),
];

const ofPayments = ofEachPayment(4, (payment, { observations }) => [
  ...received(payment, observations.payments.get(payment.id)),
  ...refunds(payment),
  ...balance(observations, payment),
]);

const pixAtBank = ({ bank }: PaymentEvidence): BankPix[] => bank?.pix ?? [];

/** True if it approved the payment or put it in review. */
const isCounted = ({ effect }: { effect: string }) => effect === 'approved' || effect === 'review';

/** Every Pix at the bank is known once, with its amount; at most one of them moved the payment. */
function received(payment: PaymentEvidence, seen: SeenPayment | undefined): string[] {
  const wrong: string[] = [];
  const [known, atBank] = [payment.detail.pix, pixAtBank(payment)];
  for (const { endToEndId, amount } of seen?.pix ?? []) {
    if (!atBank.some((pix) => pix.endToEndId === endToEndId))
      wrong.push(`a payer's Pix ${endToEndId} of ${amount} is not at the bank`);
  }
  for (const { endToEndId, valor } of atBank) {
    const amounts = known
      .filter((pix) => pix.endToEndId === endToEndId)
      .map(({ amount }) => centavos(amount));
    if (amounts.length !== 1 || amounts[0] !== centavos(valor))
      wrong.push(`Pix ${endToEndId} of ${valor} is known as ${amounts}`);
  }
  for (const { endToEndId } of known) {
    if (!atBank.some((pix) => pix.endToEndId === endToEndId))
      wrong.push(`Pix ${endToEndId} is known and not at the bank`);
  }
  const effects = known.filter(isCounted).length;
  const moves = payment.detail.events.filter(({ actor }) => actor === 'psp').length;
  if (effects > 1 || moves !== effects) wrong.push(`${effects} Pix moved it, ${moves} events tell of that`);
  return wrong;
}

/** Our refunds and the bank's are at most the received money, and each has ended. */
function refunds(payment: PaymentEvidence): string[] {
  const known = payment.detail.refunds;
  const wrong: string[] = [];
  for (const pix of pixAtBank(payment)) {
    const { endToEndId, devolucoes } = pix;
    const ours = known.filter((refund) => refund.endToEndId === endToEndId && refund.origin === 'service');
    const alive = sum(ours.filter(({ state }) => state !== 'failed').map(({ amount }) => centavos(amount)));
    if (alive > centavos(pix.valor)) wrong.push(`Pix ${endToEndId} has refunds of ours of ${alive} centavos`);
    if (keptOf(pix) < 0) wrong.push(`more than Pix ${endToEndId} went back`);
    const invented = ours.filter(
      ({ state, id }) => state === 'refunded' && !devolucoes.some((one) => one.id === id),
    );
    wrong.push(...invented.map(({ id }) => `refund ${id} is recorded as made and not at the bank`));
  }
  const open = known.filter(({ state }) => state === 'requested' || state === 'processing');
  return [
    ...wrong,
    ...open.map(({ id, state, lastError }) => `refund ${id} is still ${state}: ${lastError}`),
  ];
}

/** Received = kept + refunded. Of an approved payment, what was ordered goes back; of any other, everything. */
function balance(observations: Observations, payment: PaymentEvidence): string[] {
  const { status, pix: known, refunds: recorded } = payment.detail;
  const isKept = confirmsMoney(status);
  if (isKept && !known.some(isCounted)) return [`it is ${status} without a Pix`];
  return pixAtBank(payment).flatMap((pix) => {
    const counts = known.some((one) => one.endToEndId === pix.endToEndId && isCounted(one));
    if (isKept && counts) return isMoreThanOrdered(payment, pix, orderedOf(observations, payment));
    // A refund that the bank refused stays here, visibly failed.
    const isRefused = recorded.some(
      ({ endToEndId, state }) => endToEndId === pix.endToEndId && state === 'failed',
    );
    const left = keptOf(pix);
    if (left === 0 || (isRefused && left > 0)) return [];
    return [`it is ${status}, and of Pix ${pix.endToEndId} (${pix.valor}) ${left} centavos were kept`];
  });
}

function isMoreThanOrdered({ detail }: PaymentEvidence, pix: BankPix, ordered: number | undefined): string[] {
  const returned = returnedByUs(pix);
  if (ordered === undefined || returned <= ordered) return [];
  return [`it is ${detail.status}, and ${returned} centavos went back, where ${ordered} were ordered`];
}
