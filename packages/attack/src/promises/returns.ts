import type { Breach } from '../observations.ts';
import { type BankPix, centavos, type PaymentEvidence, type RefundShown } from '../verdict/evidence.ts';
import { hasEnded } from './charged.ts';
import { owed } from './owed.ts';
import { breachOf, type Case, type Check, ofEachPayment } from './promise.ts';

/** Promise 11, second half: every return at the bank is known, and what is still to go back is shown as owed. */
export const returns: Check = (run) => [...ofPayments(run), ...unmatched(run)];

const ofPayments = ofEachPayment(11, (payment, run) => [
  ...known(payment),
  ...ordered(run, payment),
  ...owed(run, payment),
]);

const stateAt: Record<string, string> = {
  DEVOLVIDO: 'refunded',
  NAO_REALIZADO: 'failed',
  EM_PROCESSAMENTO: 'processing',
};

/** The bank's returns are recorded, with their amounts and states. */
function known({ bank, detail }: PaymentEvidence): string[] {
  return (bank?.pix ?? []).flatMap(({ endToEndId, devolucoes }) => {
    const recorded = detail.refunds.filter((refund) => refund.endToEndId === endToEndId);
    return devolucoes.flatMap((refund) => isUnknown(refund, recorded));
  });
}

function isUnknown(refund: BankPix['devolucoes'][number], recorded: readonly RefundShown[]): string[] {
  const found = recorded.find(({ id }) => id === refund.id);
  const origin = refund.natureza === 'ORIGINAL' ? 'service' : 'bank';
  if (found?.origin !== origin)
    return [`refund ${refund.id} (${refund.natureza}) is recorded as ${found?.origin ?? 'nothing'}`];
  if (centavos(found.amount) !== centavos(refund.valor))
    return [`refund ${refund.id} of ${refund.valor} is recorded as ${found.amount}`];
  return found.state === stateAt[refund.status]
    ? []
    : [`refund ${refund.id} is ${refund.status}, and recorded as ${found.state}`];
}

/** A refund that was confirmed to an administrator is recorded: a named amount as ordered, any other no larger. */
function ordered({ observations }: Case, { id, detail, bank }: PaymentEvidence): string[] {
  const isTaken = (bank?.pix ?? []).some(({ devolucoes }) => devolucoes.some(isOfBank));
  const ended = isTaken ? [] : detail.refunds.filter(hasEnded);
  const wrong = ended.map((refund) => `refund ${refund.id} has ended, and the bank had taken nothing`);
  const orders = (observations.payments.get(id)?.refunds ?? []).flatMap((order) => {
    const found = detail.refunds.find((refund) => refund.id === order.id);
    if (!found) return [`refund ${order.id} was ordered, and is not on record`];
    const amount = centavos(found.amount);
    if (order.isNamed ? amount === order.amount : amount <= order.amount) return [];
    return [`refund ${order.id} of ${order.amount} centavos is recorded as ${found.amount}`];
  });
  return [...wrong, ...orders];
}

const isOfBank = ({ natureza }: BankPix['devolucoes'][number]) => natureza !== 'ORIGINAL';

/** A Pix may be unmatched only if a creation's outcome is unknown. */
function unmatched({ observations, evidence }: Case): Breach[] {
  const ids = new Map(evidence.payments.map(({ id }) => [id.replaceAll('-', ''), id]));
  return evidence.unmatched
    .filter(({ txid }) => ids.has(txid ?? '') || observations.unanswered.length === 0)
    .map(({ endToEndId, txid, reason }) =>
      breachOf(
        11,
        ids.get(txid ?? ''),
        `Pix ${endToEndId} of charge ${txid} is shown as unmatched: ${reason}`,
      ),
    );
}
