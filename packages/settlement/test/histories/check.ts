import type { Database } from '@payments/database/connection';
import { findTotalsDifferences, foldTotals } from '@payments/database/totals/rows';
import { readStatement } from '@payments/database/totals/statement';
import { readTotals } from '@payments/database/totals/totals';
import { isConfirmed } from '@payments/domain/status';
import {
  type Charge,
  type Entry,
  isAlive,
  isMade,
  isOurs,
  type Pix,
  type Return,
  reais,
  returned,
  returnFrom,
  sumOf,
} from './bank.ts';
import type { Heard } from './front.ts';
import type { Subject } from './history.ts';
import { claim, cut, type Model, missing, worth } from './model.ts';
import { type Said, show, type Worth } from './service.ts';

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
    // One that the bank refused took nothing, and one that its looks lacked is believed gone.
    if (!own) return one.state !== 'refused' && (one.state === 'made' || !isDoubted(doubts, one));
    if (rank(own) < rank(one)) return true;
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

/** @returns in words, where a payment is not at one bank, or a second code was shown */
export function placeDiffers(
  { banks, said: before }: Pick<Subject, 'banks' | 'said'>,
  said: Said,
  charges: readonly Charge[],
): string[] {
  const { bank, code } = said;
  const found: string[] = [];
  if (before.bank !== null && bank !== before.bank) found.push(`it was at ${before.bank}, and is at ${bank}`);
  if (before.code !== null && code !== before.code) found.push('a second code was shown');
  if (bank !== null && banks && !banks.includes(bank)) found.push(`${bank} is no bank of its store`);
  if (code !== null && !charges.some((charge) => charge.bank === bank && charge.code === code))
    found.push(`its code is not that of ${bank}`);
  if (bank === null && said.pix.length > 0) found.push('it has a Pix, and no bank');
  return found;
}

/** @returns in words, the charges that can be paid at a bank that is not the payment's */
export function leftovers({ name, said, charges }: Subject, now: number): string[] {
  return charges
    .filter(({ bank, status, expiresAt }) => bank !== said.bank && status === 'ATIVA' && expiresAt > now)
    .map(({ bank }) => `${name}: its charge at ${bank} can be paid, and nobody saw it`);
}

/** @returns in words, the differences between the service and the model of the bank and the people's decisions */
export function differences(model: Model, said: Said, bank: Pick<Charge, 'pix'>): string[] {
  return [
    ...worthDiffers('the payment', said, worth(model)),
    ...eventsDiffer(said.events, model.told),
    ...said.pix
      .filter(({ id, counts }) => counts !== (id === model.standsOn))
      .map(({ id }) => `${id} counts wrongly`),
    ...said.pix.flatMap((pix) => claimDiffers(model, said, pix)),
    ...bank.pix.flatMap((pix) => [...wrongAtBank(model, pix), ...cut(model, pix)]),
  ];
}

function worthDiffers(what: string, is: Worth | undefined, ought: Worth | undefined): string[] {
  const [one, other] = [is ? show(is) : 'nothing', ought ? show(ought) : 'nothing'];
  return one === other ? [] : [`${what} is ${one}, and should be ${other}`];
}

function eventsDiffer(is: readonly Worth[], ought: readonly Worth[]): string[] {
  const length = Math.max(is.length, ought.length);
  return Array.from({ length }, (_, at) => worthDiffers(`event ${at + 1}`, is[at], ought[at])).flat();
}

/** Each amount that the payer can claim is back, in progress, requested, planned or owed. */
function claimDiffers(model: Model, said: Said, pix: Pix): string[] {
  const byUs = returned(pix, (one) => isOurs(one) && isAlive(one));
  const allowed = claim(model, pix);
  const found = byUs > allowed ? [`${reais(byUs)} of ${pix.id} goes back, and ${reais(allowed)} may`] : [];
  const open = said.open.filter(({ endToEndId }) => endToEndId === pix.id);
  const shown = sumOf(open.map(({ amount }) => amount));
  const due = missing(model, pix);
  if (shown !== due)
    found.push(`of ${pix.id} ${reais(due)} is missing, ${reais(shown)} shown as planned or owed`);
  return found;
}

/** The bank has no refund of ours that nobody ordered. */
function wrongAtBank(model: Model, pix: Pix): string[] {
  const byUs = returned(pix, (one) => isOurs(one) && isAlive(one));
  const isKnown = model.pix.some(({ id }) => id === pix.id);
  const allowed = isKnown ? claim(model, pix) : 0;
  return byUs > allowed ? [`the bank gives back ${reais(byUs)} of ${pix.id}, and ${reais(allowed)} may`] : [];
}

/** The facts that a step leaves to compare: the bank in truth, and how often its looks hid each return. */
export type Truth = { pix: readonly Pix[]; doubts: Doubts };

/** @returns what the service believes and the bank never said */
export function untruths(said: Said, { pix: all, doubts }: Truth): string[] {
  return said.pix.flatMap((pix) => {
    const real = all.find(({ id }) => id === pix.id);
    if (!real || real.bank !== pix.bank || real.amount !== pix.amount || real.paidAt !== pix.paidAt)
      return [`${pix.id} is not as at the bank`];
    return pix.returns
      .filter((one) => !isTrue(one, real) && !isConcluded(one, real, { said, doubts }))
      .map(({ id, state }) => `${id} is ${state}, not at the bank`);
  });
}

/** Several looks that did not show a return of the bank's are believed, until it is told of again. */
function isConcluded(one: Return, { returns }: Pix, { said, doubts }: { said: Said; doubts: Doubts }) {
  const real = returns.find(({ id }) => id === one.id);
  if (one.state !== 'refused' || isOurs(one) || !real || real.by !== one.by || real.amount !== one.amount)
    return false;
  return isDoubted(doubts, one) || said.isSetAside;
}

function isTrue(one: Return, { returns }: Pix): boolean {
  const real = returns.find(({ id }) => id === one.id);
  if (!real) return isOurs(one) && (one.state === 'asked' || one.state === 'refused');
  if (rank(one) > rank(real) || one.by !== real.by) return false;
  const isFinal = rank(one) === 2;
  return one.state === 'asked' || (one.amount === real.amount && (!isFinal || one.state === real.state));
}

/** @returns what the service heard in a step and does not know: answers of the bank that it read whole */
export function unheard(
  known: readonly Pix[],
  txid: string,
  heard: Heard,
  { pix: real, doubts }: Truth,
): string[] {
  const answers = known.map(({ id }) => ({
    endToEndId: id,
    returns: heard.returns.get(id) ?? [],
    unnamed: 0,
  }));
  const read = (heard.charges.get(txid) ?? []).map(toldOf);
  return [...answers, ...read].flatMap((told) => notOnRecord(known, told, { real, doubts }));
}

/** @returns what the bank ever told, and is neither on record nor an open problem of the charge */
export function dropped(
  known: readonly Pix[],
  told: readonly Told[],
  { pix: real, doubts }: Truth,
): string[] {
  const found = told.flatMap((one) => notOnRecord(known, one, { real, doubts }));
  return found.map((text) => `no problem is open: ${text}`);
}

/** @returns in words, what was paid out although the bank has taken it back, or is about to, and hides nothing */
export function paidOutOf(said: Said, { pix: real }: Pick<Truth, 'pix'>): string[] {
  return said.pix
    .filter(({ counts }) => counts)
    .flatMap(({ id, returns: known }) => {
      const returns = real.find((one) => one.id === id)?.returns ?? [];
      const gone = returns.filter(isAlive).filter((one) => {
        const own = known.find((each) => each.id === one.id);
        return !own || !isAlive(own);
      });
      return gone.map((one) => `it was paid out, and the bank has taken back ${reais(one.amount)} of ${id}`);
    });
}

/** @returns the differences between the service and the bank after the service has heard everything */
export function notSynchronised(said: Said, bank: Pick<Charge, 'pix'>): string[] {
  const found = said.problems.map((problem) => `still a problem: ${problem}`);
  for (const pix of bank.pix)
    found.push(...notOnRecord(said.pix, toldOf(pix), { real: bank.pix, doubts: {} }));
  const asked = said.pix
    .flatMap(({ returns }) => returns)
    .filter(({ state }) => state === 'asked' || state === 'under way');
  found.push(...asked.map(({ id, state }) => `${id} is ${state} still`));
  if (said.status === 'pending' || said.status === 'review')
    found.push(`the payment is ${said.status} still`);
  return found;
}

/** @returns in words, the differences of the kept totals and statements to the rows and to the model */
export async function booksDiffer(db: Database, subjects: readonly Subject[]): Promise<string[]> {
  const stores = [...new Set(subjects.map(({ storeId }) => storeId))];
  const found: string[] = [];
  for (const storeId of stores) {
    const models = subjects.filter((one) => one.storeId === storeId).map(({ model }) => model);
    const [totals] = await readTotals(db, { by: 'store', storeId });
    const { items, closing } = await readStatement(db, { storeId, by: 'month' });
    const { key: _, ...figures } = totals!;
    const statement = {
      received: sumOf(items.map(({ received }) => received)),
      givenBack: sumOf(items.map(({ givenBack }) => givenBack)),
      closing,
    };
    found.push(...differs('the totals', figures, sumsOf(models)));
    found.push(...differs('the statement', statement, statementOf(models)));
  }
  // Some changes are folded, others are not.
  await foldTotals(db, 7);
  return [...found, ...differs('the kept totals less the rows', await findTotalsDifferences(db), [])];
}

function differs(what: string, is: unknown, ought: unknown): string[] {
  const [one, other] = [JSON.stringify(is), JSON.stringify(ought)];
  return one === other ? [] : [`${what} are ${one}, and should be ${other}`];
}

/** The rest of an approved payment, and its amount at the approval. */
function booked(model: Model) {
  const approval = model.told.find(({ status }) => status === 'approved');
  const { status, amount, fee } = worth(model);
  const left = approval && isConfirmed(status) ? amount : 0;
  return { received: approval?.amount ?? 0, left, fee: left > 0 ? (fee ?? 0) : 0 };
}

function sumsOf(models: readonly Model[]) {
  const all = models.map(booked);
  return {
    createdCount: models.length,
    approvedCount: all.filter(({ left }) => left > 0).length,
    approvedAmount: sumOf(all.map(({ left }) => left)),
    feeAmount: sumOf(all.map(({ fee }) => fee)),
    refundedAmount: sumOf(models.flatMap(({ pix }) => pix.map((one) => returned(one, isMade)))),
  };
}

function statementOf(models: readonly Model[]) {
  const all = models.map(booked);
  return {
    received: sumOf(all.map(({ received }) => received)),
    givenBack: sumOf(all.map(({ received, left }) => received - left)),
    closing: sumOf(all.map(({ left, fee }) => left - fee)),
  };
}
