import type { Observations, OrderedRefund, SeenPayment } from '../observations.ts';
import { keptOf } from '../promises/bank-facts.ts';
import { centavos, type Evidence, type PaymentEvidence } from '../verdict/evidence.ts';

export type Sorted = {
  /** Its creation was answered before the moment of the restore. */
  kept: PaymentEvidence[];
  /** Created after it, paid, and found again at the bank. */
  foundAgain: PaymentEvidence[];
  /** Created after it, paid, and not found; whether the money that did not go back is held as unmatched. */
  paidAndLost: { payment: PaymentEvidence; isHeld: boolean }[];
  /** Created after it and never paid. */
  unpaidAndLost: PaymentEvidence[];
};

/** Sorts the payments by what the restore made of them. */
export function sortPayments(
  { payments, unmatched }: Evidence,
  answered: Observations['payments'],
  moment: number,
): Sorted {
  const held = new Set(unmatched.map(({ txid }) => txid));
  const sorted: Sorted = { kept: [], foundAgain: [], paidAndLost: [], unpaidAndLost: [] };
  for (const payment of payments) {
    const isKnown = payment.detail.status !== 'missing';
    if ((answered.get(payment.id)?.answeredAt ?? createdAt(payment)) <= moment) sorted.kept.push(payment);
    else if (isKnown) sorted.foundAgain.push(payment);
    else if ((payment.bank?.pix ?? []).length === 0) sorted.unpaidAndLost.push(payment);
    else
      sorted.paidAndLost.push({
        payment,
        isHeld: held.has(payment.id.replaceAll('-', '')) || wentBack(payment),
      });
  }
  return sorted;
}

const wentBack = ({ bank }: PaymentEvidence) => (bank?.pix ?? []).every((pix) => keptOf(pix) === 0);

const createdAt = ({ id }: PaymentEvidence) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/**
 * The clients' view, without what the database can't know: answers after the moment to creations and to people. A
 * refund that the bank has made, or is making, is known again. One that it refused moved no money: its order is undone
 * like any decision of a person.
 */
export function knownAgain(
  observations: Observations,
  kept: readonly PaymentEvidence[],
  moment: number,
): Observations {
  const evidence = new Map(kept.map((payment) => [payment.id, payment]));
  const known = [...observations.payments.values()].flatMap((seen) => {
    const payment = evidence.get(seen.id);
    return payment ? asKnown(seen, payment, moment) : [];
  });
  const ids = new Set(known.map(({ id }) => id));
  return {
    ...observations,
    payments: new Map(known.map((seen) => [seen.id, seen])),
    stores: observations.stores.map((store) => ({
      ...store,
      payments: store.payments.filter(({ id }) => ids.has(id)),
    })),
    seenDelivered: new Map(),
  };
}

function asKnown(seen: SeenPayment, payment: PaymentEvidence, moment: number): SeenPayment {
  const undone = ordersUndone(seen, payment, moment);
  return {
    ...seen,
    moves: seen.moves.filter(({ at }) => at <= moment),
    refunds: seen.refunds.filter((order) => !undone.includes(order)),
  };
}

/** @returns people's orders of refunds after the moment that moved no money: the bank refused them, or has none */
export function ordersUndone(
  { refunds }: Pick<SeenPayment, 'refunds'>,
  { bank }: Pick<PaymentEvidence, 'bank'>,
  moment: number,
): OrderedRefund[] {
  const ordered = new Set(refunds.map(({ id }) => id));
  const moved = (bank?.pix ?? [])
    .flatMap(({ devolucoes }) => devolucoes)
    .filter(({ status, natureza }) => status !== 'NAO_REALIZADO' && natureza === 'ORIGINAL');
  const ids = new Set(moved.map(({ id }) => id));
  // A refused order may have been carried out by a later one, under another id.
  const replacements = moved.filter(({ id }) => !ordered.has(id)).map(({ valor }) => centavos(valor));
  return refunds.filter(({ id, at, amount }) => {
    if (at <= moment || ids.has(id)) return false;
    const replacement = replacements.findIndex((one) => one <= amount);
    if (replacement !== -1) replacements.splice(replacement, 1);
    return replacement === -1;
  });
}
