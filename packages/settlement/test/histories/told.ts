import { returnFrom } from './bank.ts';
import { type Entry, isOurs, type Pix, type Return } from './facts.ts';

/** A bank's word of a Pix in a callback, a list or a charge: maybe an older state, maybe with parts that nobody can read. */
export type Told = {
  endToEndId: string;
  returns: Return[];
  /** Returns without an id. */
  unnamed: number;
};

export function toldFrom({ endToEndId, devolucoes = [] }: Entry): Told {
  const entries = devolucoes as Entry[];
  const named = entries.filter(({ id }) => id !== undefined);
  return {
    endToEndId: String(endToEndId),
    returns: named.map(returnFrom),
    unnamed: entries.length - named.length,
  };
}

export const toldOf = ({ id, returns }: Pix): Told => ({ endToEndId: id, returns, unnamed: 0 });

/** Whether a return that the service knows as refused can be alive at the bank: several looks did not show it. */
export type Doubts = Readonly<Record<string, number>>;

const looksUntilDoubted = 2;

export const isDoubted = (doubts: Doubts, { id }: Pick<Return, 'id'>) =>
  (doubts[id] ?? 0) >= looksUntilDoubted;

const order = ['asked', 'under way', 'made', 'refused'] as const;

export const rank = ({ state }: Return) => Math.min(order.indexOf(state), 2);

/** @returns in words, what was told and is not on record. `real` is what the bank has in truth */
export function notOnRecord(
  known: readonly Pix[],
  told: Told,
  { real, doubts }: { real: readonly Pix[]; doubts: Doubts },
): string[] {
  const { endToEndId, returns, unnamed } = told;
  const pix = known.find(({ id }) => id === endToEndId);
  if (!pix) return [`the service was told of ${endToEndId}, and does not know it`];
  const truth = real.find(({ id }) => id === endToEndId)?.returns ?? [];
  const missed = returns.filter((one) => {
    const own = pix.returns.find(({ id }) => id === one.id);
    if (!own || rank(own) < rank(one)) return true;
    if (own.state !== 'refused' || one.state === 'refused') return false;
    const isTrulyRefused = truth.find(({ id }) => id === one.id)?.state === 'refused';
    return !isTrulyRefused && (one.state === 'made' || isOurs(one) || !isDoubted(doubts, one));
  });
  const found = missed.map(
    ({ id, state }) => `the service was told that ${id} is ${state}, and does not know it`,
  );
  // Every return of the bank's is known if there are so many.
  const isShort = pix.returns.filter(({ state }) => state !== 'asked').length < returns.length + unnamed;
  return found.length === 0 && unnamed > 0 && isShort
    ? [`the service was told of ${unnamed} returns of ${endToEndId} without ids, and does not know them`]
    : found;
}
