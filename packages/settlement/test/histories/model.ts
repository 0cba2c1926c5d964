import { feesOf as splitFees } from '@payments/domain/fees';
import { isConfirmed, isPaidOut, mayTransition, type PaymentStatus } from '@payments/domain/status';
import { isAlive, isMade, isOurs, type Pix, type Return, reais, returned, sumOf } from './bank.ts';
import type { Worth } from './service.ts';

/** A store's terms: the fee's percentage and fixed part in centavos, and the amount from which a person reviews. */
export type Terms = { percent: number | null; fixed: number | null; reviewAbove: number | null };

/** An act of a person, or of time, on a payment. */
export type Act =
  | { act: 'decide'; to: PaymentStatus }
  | { act: 'refund'; amount?: number | undefined; key?: string | undefined }
  | { act: 'expire' }
  | { act: 'timeOut' };

/**
 * The expected state of a payment by the contract. It knows what the bank showed, what people decided and which times
 * were over. From the service it only reads how much of the bank's facts the service has heard.
 * What one status or amount means by itself is the domain's, whose tables and mutants prove it; the model says what
 * follows from facts in any order.
 */
export type Model = {
  charged: number;
  terms: Terms;
  /** The bank of its code; any other that has the charge showed it to nobody. */
  bank: string | null;
  /** The end of the charge at each bank. */
  deadlines: Record<string, number>;
  status: PaymentStatus;
  isTimedOut: boolean;
  isCancelled: boolean;
  /** The Pix that counts for the payment; every other goes back whole. */
  standsOn: string | null;
  /** The amounts that people ordered to go back of an approved payment. */
  ordered: number;
  /** The named amounts among them, which are never cut; and whether somebody ordered all that was left. */
  named: number[];
  isAllOrdered: boolean;
  /** The refunds of named amounts that have ended, since they fit no more. */
  ended: string[];
  keys: Record<string, string>;
  /** True if a refused refund is to be ordered again, by the service or a person. */
  isWaiting: boolean;
  pix: Pix[];
  told: Worth[];
};

export function newModel(charged: number, terms: Terms): Model {
  const model: Model = {
    charged,
    terms,
    bank: null,
    deadlines: {},
    status: 'pending',
    isTimedOut: false,
    isCancelled: false,
    standsOn: null,
    ordered: 0,
    named: [],
    isAllOrdered: false,
    ended: [],
    keys: {},
    isWaiting: false,
    pix: [],
    told: [],
  };
  model.told.push(worth(model));
  return model;
}

function move(model: Model, to: PaymentStatus): void {
  model.status = to;
  model.told.push(worth(model));
}

/** The service has heard these facts from the bank; its own newest orders come later. */
export function hear(model: Model, known: readonly Pix[]): void {
  const before = new Set(model.pix.flatMap(({ returns }) => returns.map(({ id }) => id)));
  const isHeard = ({ id, state }: Return) => state !== 'asked' || before.has(id);
  learn(
    model,
    known.map((pix) => ({ ...pix, returns: pix.returns.filter(isHeard) })),
  );
}

/** The service has seen these Pix, and not yet their returns. */
export function see(model: Model, known: readonly Pix[]): void {
  const before = new Map(model.pix.map(({ id, returns }) => [id, returns]));
  learn(
    model,
    known.map((pix) => ({ ...pix, returns: before.get(pix.id) ?? [] })),
  );
}

/** Applies all that the service knows, including its own orders. */
export function learn(model: Model, known: readonly Pix[]): void {
  const before = new Set(model.pix.map(({ id }) => id));
  model.pix = structuredClone([...known]);
  const news = model.pix.filter(({ id }) => !before.has(id));
  for (const pix of news.sort((a, b) => a.paidAt - b.paidAt)) receive(model, pix);
  followReturns(model);
}

const nothing = 'nothing';

/** Only the first Pix at the payment's bank counts for it. */
function receive(model: Model, pix: Pix): void {
  if (model.standsOn !== null || pix.bank !== model.bank) return;
  // A Pix that went back before it was seen neither counts nor confirms.
  const isGone = returned(pix, isMade) >= pix.amount;
  model.standsOn = isGone ? nothing : pix.id;
  if (isGone && model.status === 'pending') move(model, 'not_approved');
  if (isGone) return;
  const isUsual =
    pix.amount === model.charged && pix.paidAt <= model.deadlines[pix.bank]! && !model.isCancelled;
  const { reviewAbove } = model.terms;
  const isLarge = reviewAbove !== null && pix.amount >= reviewAbove;
  move(model, isUsual && !isLarge ? 'approved' : 'review');
}

/** A payment with nothing left, and a review that goes back whole by a time-out or our order, are closed. */
function followReturns(model: Model): void {
  const pix = standing(model);
  if (!pix) return;
  const isGone = returned(pix, isMade) >= pix.amount;
  const isAccepted = returned(pix, isTaken) >= pix.amount;
  const mayEnd = model.status === 'approved' || model.status === 'paid';
  const isOrdered = returned(pix, (one) => isOurs(one) && isTaken(one)) > 0;
  const isOver = model.status === 'review' && (model.isTimedOut || isOrdered);
  if ((mayEnd && isGone) || (isOver && isAccepted)) move(model, 'not_approved');
}

const isTaken = ({ state }: Return) => state === 'made' || state === 'under way';

export function standing(model: Model): Pix | undefined {
  return model.pix.find(({ id }) => id === model.standsOn);
}

/** @returns what is neither back, in progress nor ordered of the Pix that counts */
export function left(model: Model): number {
  const pix = standing(model);
  return pix ? Math.max(0, pix.amount - returned(pix, isAlive)) : 0;
}

/** @returns what a person may order: refused refunds are ordered again in other ways */
function orderable(model: Model): number {
  const pix = standing(model);
  return pix ? left(model) - missing(model, pix) : 0;
}

/**
 * Applies an act.
 * @returns false, without a change, if it is not allowed
 */
export function perform(model: Model, act: Act): boolean {
  if (!isAllowed(model, act)) return false;
  if (act.act === 'refund') order(model, act);
  else if (act.act === 'timeOut') model.isTimedOut = true;
  else if (act.act === 'expire') move(model, 'not_approved');
  else {
    model.isCancelled ||= model.status === 'pending';
    move(model, act.to);
  }
  followReturns(model);
  return true;
}

function order(model: Model, { amount, key }: Act & { act: 'refund' }): void {
  if (key !== undefined && model.keys[key] !== undefined) return;
  if (key !== undefined) model.keys[key] = String(amount);
  const ordered = amount ?? orderable(model);
  model.ordered += ordered;
  if (amount === undefined) model.isAllOrdered = true;
  else model.named.push(amount);
  standing(model)!.returns.push({ id: 'ordered', by: 'service', state: 'asked', amount: ordered });
}

export function isAllowed(model: Model, act: Act): boolean {
  if (act.act === 'expire') return model.status === 'pending';
  if (act.act === 'timeOut') return model.status === 'review' && !model.isTimedOut;
  if (act.act === 'refund') return isRefundAllowed(model, act);
  return isDecisionAllowed(model, act.to);
}

function isRefundAllowed(model: Model, { amount, key }: Act & { act: 'refund' }): boolean {
  const known = key === undefined ? undefined : model.keys[key];
  if (known !== undefined) return known === String(amount);
  if (model.status !== 'approved' && model.status !== 'paid') return false;
  return orderable(model) > 0 && (amount ?? 0) <= orderable(model);
}

function isDecisionAllowed(model: Model, to: PaymentStatus): boolean {
  if (!mayTransition(model.status, to, 'administrator')) return false;
  if (to === 'approved') return left(model) > 0 && !isGoingBack(model);
  return (to !== 'paid' && to !== 'withdrawal_processing') || !isReturnInProcess(model);
}

function isGoingBack(model: Model): boolean {
  return standing(model)?.returns.some((one) => isOurs(one) && isAlive(one)) ?? false;
}

const isInProcess = ({ state }: Return) => state === 'asked' || state === 'under way';

/** A refused refund that is to be ordered again is still in progress. */
function isReturnInProcess(model: Model): boolean {
  const isOpen = model.pix.some(({ returns }) => returns.some(isInProcess));
  return isOpen || model.isWaiting;
}

/** @returns the amount and fees of a payment in its status: what was charged, or what came and was not given back */
export function worth(model: Model): Worth {
  const { status, charged } = model;
  const pix = standing(model);
  const amount = pix && isConfirmed(status) ? Math.max(0, pix.amount - returned(pix, isMade)) : charged;
  return { status, amount, ...feesOf(amount, model) };
}

function feesOf(amount: number, { terms: { percent, fixed } }: Model): Pick<Worth, 'fee' | 'net'> {
  const ppm = percent === null ? null : Math.round(percent * 10_000);
  const { feeAmount: fee, liquidValue: net } = splitFees(amount, { ppm, fixed });
  return { fee, net };
}

/** @returns what the service may give back of a Pix: all of it, or what people ordered */
export function claim(model: Model, { id, amount }: Pix): number {
  const { status, isTimedOut, ordered } = model;
  const goesWhole = id !== model.standsOn || status === 'not_approved' || (status === 'review' && isTimedOut);
  return goesWhole ? amount : Math.min(amount, ordered);
}

/** @returns what the payer can still claim of a Pix, beyond what went back, is in progress or was requested */
export function missing(model: Model, pix: Pix): number {
  if (pix.id === model.standsOn && isPaidOut(model.status)) return 0;
  const byBank = returned(pix, (one) => !isOurs(one) && isAlive(one));
  const byUs = returned(pix, (one) => isOurs(one) && isAlive(one));
  return Math.max(0, Math.min(claim(model, pix), pix.amount - byBank) - byUs);
}

/** An order of a named amount that the service has ended, since it fits no more. */
export type Ended = { endToEndId: string; refundId: string; amount: number };

/**
 * Takes ended orders from what people ordered.
 * @param before the Pix as the service knew them before the step
 * @returns those that fit what is left
 */
export function endNamed(model: Model, before: readonly Pix[], ended: readonly Ended[]): string[] {
  const found = ended.filter(({ refundId }) => !model.ended.includes(refundId));
  for (const { refundId, amount } of found) {
    model.ended.push(refundId);
    model.ordered -= amount;
  }
  return found
    .filter(({ endToEndId, amount }) => amount <= leftAtLeast(endToEndId, [...before, ...model.pix]))
    .map(({ amount }) => `an order of ${reais(amount)} has ended, and fits`);
}

/** @returns what is left of a Pix in the worst moment of a step: a return of it may have failed since */
function leftAtLeast(endToEndId: string, seen: readonly Pix[]): number {
  const shown = seen.filter(({ id }) => id === endToEndId);
  const gone = shown.flatMap(({ returns }) => returns.filter(isAlive)).map(({ id, amount }) => [id, amount]);
  const once = Object.fromEntries(gone) as Record<string, number>;
  return (shown[0]?.amount ?? 0) - sumOf(Object.values(once));
}

/** @returns in words, what goes back of an approved payment in an amount that nobody ordered */
export function cut(model: Model, pix: Pix): string[] {
  const mayBeAny = model.isAllOrdered || !['approved', 'paid'].includes(model.status);
  if (mayBeAny || pix.id !== standing(model)?.id) return [];
  const named = [...model.named];
  const wrong = pix.returns.filter((one) => {
    const at = isOurs(one) && isAlive(one) ? named.indexOf(one.amount) : -1;
    if (at >= 0) named.splice(at, 1);
    return isOurs(one) && isAlive(one) && at < 0;
  });
  return wrong.map(({ amount }) => `nobody ordered the ${reais(amount)} of ${pix.id} that go back`);
}
