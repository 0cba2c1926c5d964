import type { Breach, SeenPayment } from '../account.ts';
import { type BankPix, centavos, type PaymentEvidence, type RefundShown, sum } from '../end/evidence.ts';
import { breachOf, type Check } from './promise.ts';

/** Promise 4: what was received is kept or went back, each Pix acts once, each refund is made once. */
export const money: Check = ({ account, evidence }) => [
  ...evidence.payments.flatMap((payment): Breach[] => {
    const seen = account.payments.get(payment.id);
    const wrong = [...received(payment, seen), ...refunds(payment), ...balance(payment)];
    return wrong.map((says) => breachOf(4, payment.id, says));
  }),
  ...evidence.violations.map((violation) =>
    breachOf(4, undefined, `not API Pix: ${JSON.stringify(violation).slice(0, 300)}`),
  ),
];

const pixAtBank = ({ bank }: PaymentEvidence): BankPix[] => bank?.pix ?? [];

/** Every Pix at the bank is known, once, with its amount; at most one of them moved the payment. */
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
  const effects = known.filter(({ effect }) => effect !== 'refund').length;
  const moves = payment.detail.events.filter(({ actor }) => actor === 'psp').length;
  if (effects > 1 || moves !== effects) wrong.push(`${effects} Pix moved it, ${moves} events tell of that`);
  return wrong;
}

const stateAt: Record<string, string> = {
  DEVOLVIDO: 'refunded',
  NAO_REALIZADO: 'failed',
  EM_PROCESSAMENTO: 'processing',
};

/** Ours and the bank's refunds are the same ones; one of ours per Pix, and never more than was received. */
function refunds(payment: PaymentEvidence): string[] {
  const known = payment.detail.refunds;
  const wrong: string[] = [];
  for (const pix of pixAtBank(payment)) {
    const ours = known.filter(({ endToEndId }) => endToEndId === pix.endToEndId);
    wrong.push(...pix.devolucoes.flatMap((refund) => isUnknown(refund, ours)));
    const orders = ours.filter(({ origin, state }) => origin === 'service' && state !== 'failed');
    if (orders.length > 1) wrong.push(`Pix ${pix.endToEndId} has ${orders.length} refunds of ours`);
    if (returned(pix) > centavos(pix.valor)) wrong.push(`more than Pix ${pix.endToEndId} went back`);
    const made = orders.filter(
      ({ state, id }) => state === 'refunded' && !pix.devolucoes.some((one) => one.id === id),
    );
    wrong.push(...made.map(({ id }) => `refund ${id} is recorded as made and not at the bank`));
  }
  const open = known.filter(({ state }) => state === 'requested' || state === 'processing');
  return [
    ...wrong,
    ...open.map(({ id, state, lastError }) => `refund ${id} is still ${state}: ${lastError}`),
  ];
}

function isUnknown(refund: BankPix['devolucoes'][number], ours: readonly RefundShown[]): string[] {
  const known = ours.find(({ id }) => id === refund.id);
  const origin = refund.natureza === 'ORIGINAL' ? 'service' : 'bank';
  if (known?.origin !== origin)
    return [`refund ${refund.id} (${refund.natureza}) is recorded as ${known?.origin ?? 'nothing'}`];
  if (centavos(known.amount) !== centavos(refund.valor))
    return [`refund ${refund.id} of ${refund.valor} is recorded as ${known.amount}`];
  return known.state === stateAt[refund.status]
    ? []
    : [`refund ${refund.id} is ${refund.status}, and recorded as ${known.state}`];
}

const returned = ({ devolucoes }: BankPix) =>
  sum(devolucoes.filter(({ status }) => status === 'DEVOLVIDO').map(({ valor }) => centavos(valor)));

const taken = ({ devolucoes }: BankPix) =>
  sum(
    devolucoes
      .filter(({ status, natureza }) => status === 'DEVOLVIDO' && natureza !== 'ORIGINAL')
      .map(({ valor }) => centavos(valor)),
  );

const keeps = ['approved', 'paid', 'withdrawal_processing', 'receipt_sent', 'rejected'];

/** Received = kept + refunded: kept is the one Pix that counts, if the payment was approved, and nothing else. */
function balance(payment: PaymentEvidence): string[] {
  const { status, pix: known, refunds: recorded } = payment.detail;
  const isKept = keeps.includes(status);
  if (isKept && !known.some(({ effect }) => effect !== 'refund')) return [`it is ${status} without a Pix`];
  return pixAtBank(payment).flatMap((pix) => {
    const counts = known.find(({ endToEndId }) => endToEndId === pix.endToEndId)?.effect !== 'refund';
    // A refund that the bank would not make stays here, where everybody can see that it failed.
    const failed = recorded.some(
      ({ endToEndId, state }) => endToEndId === pix.endToEndId && state === 'failed',
    );
    const left = centavos(pix.valor) - returned(pix);
    const expected = isKept && counts ? centavos(pix.valor) - taken(pix) : 0;
    if (left === expected || (failed && left > expected)) return [];
    return [
      `it is ${status}, and of Pix ${pix.endToEndId} (${pix.valor}) ${left} centavos were kept, not ${expected}`,
    ];
  });
}
