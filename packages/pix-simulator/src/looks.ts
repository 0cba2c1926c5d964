import type { Bank } from './bank.ts';
import type { Faults, Operation } from './faults.ts';
import type { StoredCharge, StoredPix, StoredRefund } from './ledger.ts';
import { HiddenByFault } from './problem.ts';
import { showPix } from './shapes.ts';

/** One read's view of the bank. The faults `lagSeconds`, `hide`, `oddAmounts` and `withoutRefundIds` keep parts from it. */
export type Look = {
  operation: Operation;
  /** Throws Problem 404 for a charge that this read does not see. */
  charge(charge: StoredCharge): StoredCharge;
  /** @returns the Pix with the refunds that this read sees; undefined for a Pix that this read does not see */
  pix(pix: StoredPix): StoredPix | undefined;
  show(pix: StoredPix): Record<string, unknown>;
};

/** A change is made where the bank's books are; PATCH first looks for its charge. */
const reads: readonly Operation[] = ['getCob', 'patchCob', 'listCob', 'getPix', 'listPix', 'getDevolucao'];

/** Begins a read. The first thing that it does not see, or shows oddly, counts against `times`. */
export function lookAs(bank: Bank, operation: Operation): Look {
  const { faults, ledger } = bank;
  const { lagSeconds, hide, oddAmounts, withoutRefundIds, only } = faults;
  const isHitRead = reads.includes(operation) && (only.length === 0 || only.includes(operation));
  const seenUntil = bank.clock.now() - lagSeconds * 1_000;
  let hasLied = false;
  const mayLie = (txid: string) => isHitRead && isHit(faults, txid);
  const lies = (): undefined => {
    if (!hasLied && faults.times > 0) countLie(bank);
    hasLied = true;
  };
  const isSeen = (kind: Hidden, time: number) =>
    !hide.includes(kind) && (lagSeconds === 0 || time <= seenUntil);
  const refund = ({ txid }: StoredPix, one: StoredRefund): StoredRefund | undefined => {
    if (!mayLie(txid)) return one;
    if (!isSeen('refunds', one.requestedAt)) return lies();
    if (lagSeconds === 0 || one.status === 'EM_PROCESSAMENTO' || one.settlesAt <= seenUntil) return one;
    lies();
    return { ...one, status: 'EM_PROCESSAMENTO' };
  };
  const pix = (one: StoredPix): StoredPix | undefined => {
    if (mayLie(one.txid) && !isSeen('pix', one.paidAt)) return lies();
    return { ...one, refunds: one.refunds.flatMap((each) => refund(one, each) ?? []) };
  };
  return {
    operation,
    pix,
    charge: (charge) => {
      if (!mayLie(charge.txid)) return charge;
      if (!isSeen('charges', charge.createdAt)) {
        lies();
        throw new HiddenByFault(404, 'CobNaoEncontrado', 'Cobrança não encontrada para o txid informado.');
      }
      const isPaidUnseen = charge.status === 'CONCLUIDA' && !ledger.pixOf(charge.txid).some(pix);
      return isPaidUnseen ? { ...charge, status: 'ATIVA' } : charge;
    },
    show: (one) => {
      const shown = showPix(one);
      if (!mayLie(one.txid)) return shown;
      if (oddAmounts) lies();
      if (withoutRefundIds && one.refunds.length > 0) lies();
      return odd(shown, { oddAmounts, withoutRefundIds });
    },
  };
}

/** @returns whether the fault `charges` names this charge, or names none and so means all */
export const isHit = ({ charges }: Faults, txid: string) => charges.length === 0 || charges.includes(txid);

export type Hidden = 'charges' | 'pix' | 'refunds';

/** Counts a read that lied. */
function countLie({ faults }: Bank): void {
  faults.times -= 1;
  if (faults.times === 0)
    Object.assign(faults, { lagSeconds: 0, hide: [], oddAmounts: false, withoutRefundIds: false });
}

/** Writes a Pix as nobody can read it whole: an amount with a comma, refunds without their ids. */
export function odd(
  pix: Record<string, unknown>,
  { oddAmounts, withoutRefundIds }: { oddAmounts: boolean; withoutRefundIds: boolean },
): Record<string, unknown> {
  const { devolucoes } = pix as { devolucoes?: Record<string, unknown>[] };
  return {
    ...pix,
    ...(oddAmounts && { valor: String(pix.valor).replace('.', ',') }),
    ...(withoutRefundIds && devolucoes && { devolucoes: devolucoes.map(({ id, ...rest }) => rest) }),
  };
}
