import type { Charge, Entry, Pix } from './bank.ts';
import { dropped, type Told, toldFrom, unheard } from './check.ts';
import type { Heard } from './front.ts';
import type { Done } from './take.ts';

/** The test's knowledge of a charge: what the banks have, and what they told the service. */
export type Charged = {
  txid: string;
  /** At each bank. */
  charges: Charge[];
  /** Its Pix at all banks. */
  pix: Pix[];
  /** Each bank's states of it, the newest last: callbacks may come late. */
  versions: Record<string, (readonly Entry[])[]>;
  /** All that the service was told of it. */
  told: Told[];
  /** How many steps in a row the bank's answers lacked a return that it has. */
  doubts: Record<string, number>;
};

/** @returns what the test knows of a charge that was just created */
export function newKnowledge(): Pick<Charged, 'pix' | 'versions' | 'told' | 'doubts'> {
  return { pix: [], versions: {}, told: [], doubts: {} };
}

/**
 * The Pix and returns that the service has on record, and whether the charge waits to be settled. It is ours if the
 * service knows its payment: it looks for others in lists every few minutes alone, and a bank that is asked for a new
 * charge shows what an earlier try left.
 */
export type Recorded = { known: readonly Pix[]; isSetAside: boolean; isOurs: boolean };

/**
 * Takes down what the service was told in a step.
 * @returns in words, what it dropped of all that it was ever told
 */
export function listen(
  charged: Charged,
  { known, isSetAside, isOurs }: Recorded,
  { done, heard }: { done: readonly Done[]; heard: Heard },
): string[] {
  const { txid } = charged;
  doubt(charged, done, heard);
  const ends = done.map(({ outcome }) => outcome.end);
  // A killed process loses what it heard, and an interrupted scan, callback or decision is repeated.
  const isLost = ends.includes('killed') || ends.includes('unavailable');
  if (!isLost) {
    const lists = isOurs && !done.some(isComparison) ? (heard.listed.get(txid) ?? []) : [];
    charged.told.push(...(heard.told.get(txid) ?? []), ...lists, ...toldBy(done, txid));
  }
  const found = isSetAside ? [] : dropped(known, charged.told, charged);
  // Words on record stay there, and the newest ones are those that may be missing.
  if (!isSetAside) charged.told = [];
  const isPart = heard.failures > 0 && isSetAside;
  if (ends.includes('killed') || isPart) return found;
  const read = isLost || !isOurs ? new Map() : heard.charges;
  return [...found, ...unheard(known, txid, { ...heard, charges: read }, charged)];
}

/** Counts the steps in which the bank's answers lacked what it has. */
function doubt(charged: Charged, done: readonly Done[], heard: Heard): void {
  const { txid, pix, doubts } = charged;
  const told = [...(heard.listed.get(txid) ?? []), ...toldBy(done, txid)];
  for (const { id: endToEndId, returns } of pix)
    for (const { id } of returns) {
      const looks = heard.looks.filter(
        (one) => (one.txid === txid || one.endToEndId === endToEndId) && (one.id ?? id) === id,
      );
      const isShown = [
        ...looks.map(({ shown }) => shown),
        ...told.map((one) => one.returns.map((each) => each.id)),
      ];
      if (isShown.some((ids) => ids.includes(id))) doubts[id] = 0;
      else if (looks.length > 0) doubts[id] = (doubts[id] ?? 0) + 1;
    }
}

/** The conciliação shows what it lists, and records nothing. */
const isComparison = ({ operation }: Done) =>
  operation.do === 'look' || (operation.do === 'scan' && operation.scan === 'checkDays');

/** The words of callbacks. */
function toldBy(done: readonly Done[], txid: string): Told[] {
  return done.flatMap(({ operation }) =>
    operation.do === 'tell' && operation.txid === txid ? operation.body.pix.map(toldFrom) : [],
  );
}

export function keepVersions({ charges, versions }: Charged): void {
  for (const { bank, entries } of charges) {
    const kept = versions[bank] ?? [];
    if (JSON.stringify(kept.at(-1)) !== JSON.stringify(entries)) versions[bank] = [...kept, entries];
  }
}
