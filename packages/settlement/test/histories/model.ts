import type { PaymentStatus } from '@payments/domain/status';
import { isAlive, isMade, isOurs, type Pix, type Return, returned } from './facts.ts';
import type { Worth } from './service.ts';
import { missing, worth } from './worth.ts';

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
  const { status } = model;
  if (to === 'approved') return status === 'review' && left(model) > 0 && !isGoingBack(model);
  if (to === 'not_approved') return status === 'pending' || status === 'review';
  if (to === 'paid') return status === 'approved' && !isReturnInProcess(model);
  if (to === 'withdrawal_processing')
    return (status === 'paid' || status === 'rejected') && !isReturnInProcess(model);
  return status === 'withdrawal_processing';
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
