import { type Charge, isAlive, isOurs, type Pix, type Return, reais, returned, sumOf } from './facts.ts';
import type { Heard } from './front.ts';
import type { Model } from './model.ts';
import { cut } from './named.ts';
import type { Said, Worth } from './service.ts';
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

function show({ status, amount, fee, net }: Worth): string {
  const fees = fee === null || net === null ? 'no fee' : `fee ${reais(fee)}, net ${reais(net)}`;
  return `${status} ${reais(amount)} (${fees})`;
}

function worthDiffers(what: string, is: Worth | undefined, ought: Worth | undefined): string[] {
  const [one, other] = [is ? show(is) : 'nothing', ought ? show(ought) : 'nothing'];
  return one === other ? [] : [`${what} is ${one}, and should be ${other}`];
}

function eventsDiffer(is: readonly Worth[], ought: readonly Worth[]): string[] {
  const length = Math.max(is.length, ought.length);
  return Array.from({ length }, (_, at) => worthDiffers(`event ${at + 1}`, is[at], ought[at])).flat();
}

/** What the payer can claim is back, in progress, requested, planned or owed. */
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

const order = ['asked', 'under way', 'made', 'refused'] as const;
const rank = ({ state }: Return) => Math.min(order.indexOf(state), 2);

/** @returns what the service believes and the bank never said */
export function untruths(said: Said, bank: Pick<Charge, 'pix'>): string[] {
  return said.pix.flatMap((pix) => {
    const real = bank.pix.find(({ id }) => id === pix.id);
    if (!real || real.bank !== pix.bank || real.amount !== pix.amount || real.paidAt !== pix.paidAt)
      return [`${pix.id} is not as at the bank`];
    return pix.returns
      .filter((one) => !isTrue(one, real))
      .map(({ id, state }) => `${id} is ${state}, not at the bank`);
  });
}

function isTrue(one: Return, { returns }: Pix): boolean {
  const real = returns.find(({ id }) => id === one.id);
  if (!real) return isOurs(one) && (one.state === 'asked' || one.state === 'refused');
  if (rank(one) > rank(real) || one.by !== real.by) return false;
  const isFinal = rank(one) === 2;
  return one.state === 'asked' || (one.amount === real.amount && (!isFinal || one.state === real.state));
}

/** @returns what the service heard and does not know */
export function unheard(said: Said, txid: string, heard: Heard): string[] {
  const listed = said.problems.length > 0 ? [] : (heard.listed.get(txid) ?? []);
  const told = [...(heard.charges.get(txid) ?? []), ...listed];
  const answers = said.pix.flatMap((pix) => missed(pix, heard.returns.get(pix.id) ?? []));
  return [...answers, ...told.flatMap((pix) => missedOf(said, pix))];
}

function missedOf({ pix }: Said, told: Pix): string[] {
  const known = pix.find(({ id }) => id === told.id);
  return known ? missed(known, told.returns) : [`the service was told of ${told.id}, and does not know it`];
}

function missed({ returns }: Pix, told: readonly Return[]): string[] {
  const isMissed = (one: Return) => {
    const known = returns.find(({ id }) => id === one.id);
    return !known || rank(known) < rank(one);
  };
  return told
    .filter(isMissed)
    .map(({ id, state }) => `the service was told that ${id} is ${state}, and does not know it`);
}

/** @returns the differences between the service and the bank after the service has heard everything */
export function notSynchronised(said: Said, bank: Pick<Charge, 'pix'>): string[] {
  const found = said.problems.map((problem) => `still a problem: ${problem}`);
  for (const pix of bank.pix) found.push(...missedOf(said, pix));
  const asked = said.pix
    .flatMap(({ returns }) => returns)
    .filter(({ state }) => state === 'asked' || state === 'under way');
  found.push(...asked.map(({ id, state }) => `${id} is ${state} still`));
  if (said.status === 'pending' || said.status === 'review')
    found.push(`the payment is ${said.status} still`);
  return found;
}
