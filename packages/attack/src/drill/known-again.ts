import type { Observations, SeenPayment } from '../observations.ts';
import type { Evidence, PaymentEvidence } from '../verdict/evidence.ts';

export type Sorted = {
  /** Its creation was answered before the moment of the restore. */
  kept: PaymentEvidence[];
  /** Created after it, paid, and found again at the bank. */
  foundAgain: PaymentEvidence[];
  /** Created after it, paid, and not found; whether the money is held as unmatched. */
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
    else sorted.paidAndLost.push({ payment, isHeld: held.has(payment.id.replaceAll('-', '')) });
  }
  return sorted;
}

const createdAt = ({ id }: PaymentEvidence) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/**
 * What clients saw, without what the database can't know: answers after the moment to creations and to people. A
 * refund that the bank has is known again.
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

function asKnown(seen: SeenPayment, { bank }: PaymentEvidence, moment: number): SeenPayment {
  const atBank = new Set((bank?.pix ?? []).flatMap(({ devolucoes }) => devolucoes.map(({ id }) => id)));
  const late = seen.refunds.filter(({ at }) => at > moment);
  return {
    ...seen,
    moves: seen.moves.filter(({ at }) => at <= moment),
    refunds: seen.refunds.filter((order) => !late.includes(order) || atBank.has(order.id)),
  };
}
