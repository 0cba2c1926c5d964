import { type Charge, isAlive, isOurs, type Pix, type Return, reais, returned, sumOf } from './facts.ts';
import type { Heard } from './front.ts';
import type { Model } from './model.ts';
import { cut } from './named.ts';
import { type Said, show, type Worth } from './service.ts';
import { type Doubts, isDoubted, notOnRecord, rank, type Told, toldOf } from './told.ts';
import { claim, missing, worth } from './worth.ts';

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
  const owed = sumOf(open.map((one) => one.owed ?? 0));
  const isPlanned = open.some(({ at }) => at !== null);
  const due = missing(model, pix);
  const isRight = isPlanned ? due > 0 && owed < due : owed === due;
  if (!isRight)
    found.push(
      `of ${pix.id} ${reais(due)} is missing, ${reais(owed)} shown as owed, ${isPlanned ? '' : 'not '}planned`,
    );
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
