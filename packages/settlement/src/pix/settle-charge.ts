import { bindToBank } from '@payments/database/charges/charges';
import {
  type BeforeNewPix,
  findPix,
  insertPixReceived,
  listPixReceived,
  lockForNewPix,
} from '@payments/database/charges/pix-received';
import type { Queryable } from '@payments/database/connection';
import { isCancelled } from '@payments/database/payments/history';
import { lockPayment, type StoredPayment } from '@payments/database/payments/payments';
import { listRefunds, listRefundsOfPix, type Refund } from '@payments/database/refunds/refunds';
import { inTransaction } from '@payments/database/transaction';
import { refundOrdinalOf } from '@payments/domain/identifiers';
import { believedDeadline, believedTime, clockSkewMs, possibleTime } from '@payments/domain/paid-in-time';
import { type PixEffect, receivePix } from '@payments/domain/receive-pix';
import { leftOf } from '@payments/domain/refunds';
import { isTestBank } from '@payments/domain/route-charge';
import { isSameId } from '@payments/pix/answers';
import { isSameCode } from '@payments/pix/brcode';
import type { Charge, ReceivedPix } from '@payments/pix/client';
import { balancePayment, movePayment, tellRefunds } from '../balance.ts';
import { assertOurKey } from '../charges/read-charge.ts';
import { keepSeen, Unsettleable } from '../charges/set-aside.ts';
import type { BankContext } from '../context.ts';
import { tellReview } from '../notices.ts';
import { syncRefunds } from '../refunds/sync-refunds.ts';
import { isGivenBack, notOnRecord, type Told, toldOf } from './on-record.ts';

/** The effects of a charge on its payment. */
export type Settled = {
  payment: StoredPayment;
  /** Newly seen Pix. */
  newPix: number;
  /** Refunds that were ordered. The caller may make them at once. */
  refunds: number;
  /** Pix that belong to another payment; they change nothing here. */
  misplaced: string[];
};

/**
 * Applies all Pix and refunds of a charge to its payment, in one transaction with the payment locked. Applied ones are
 * skipped, so any number of callbacks, scans and replicas may call it.
 * @param charge as read from the PSP, never from a callback
 * @returns undefined if there is no such payment
 * @throws Unsettleable for a charge that is not the one that was asked for: nothing rests on it
 */
export async function settleCharge(
  context: BankContext,
  paymentId: string,
  charge: Charge,
  requestId: string | null = null,
): Promise<Settled | undefined> {
  const settled = await inTransaction(context.db, async (trx) => {
    const locked = await lockPayment(trx, paymentId);
    if (locked) await assertOfPayment(trx, context, locked, charge);
    const payment = locked && (await bound(trx, context, locked, charge));
    return payment && settleLocked(trx, context, { payment, charge, requestId });
  });
  if (settled && settled.newPix > 0) {
    const { payment, newPix, refunds } = settled;
    context.log.info(
      { paymentId, requestId: requestId ?? payment.requestId, status: payment.status, newPix, refunds },
      'settled',
    );
  }
  return settled;
}

/**
 * Settles a charge that other work than a callback or a list has read. What can't be read of it, and a Pix of another
 * payment, is kept until the charge is right, as theirs is.
 * @throws Unsettleable for a charge that is not the one that was asked for
 */
export async function settleSeen(context: BankContext, paymentId: string, charge: Charge) {
  const settled = charge.pix.length > 0 ? await settleCharge(context, paymentId, charge) : undefined;
  const doubt = doubtOf(charge, settled);
  if (!doubt) return settled;
  const unreadable = (charge.oddPix ?? []).map((one) => ({ ...one, txid: charge.txid }));
  for (const missing of await notOnRecord(context, toldOf({ pix: charge.pix, unreadable })))
    await keepSeen(context, await withoutOthers(context, paymentId, missing), doubt);
  return settled;
}

/** @returns the told facts without the Pix that another payment has, and their returns: here they will never be on record */
async function withoutOthers({ db }: BankContext, paymentId: string, told: Told): Promise<Told> {
  const { endToEndIds, returns = [] } = told;
  const known = endToEndIds.length === 0 ? [] : await findPix(db, endToEndIds);
  const others = known.filter((one) => one.paymentId !== null && one.paymentId !== paymentId);
  const elsewhere = new Set(others.map(({ endToEndId }) => endToEndId));
  return {
    ...told,
    endToEndIds: endToEndIds.filter((id) => !elsewhere.has(id)),
    returns: returns.filter((one) => !elsewhere.has(one.endToEndId)),
  };
}

function doubtOf({ pix, oddPix = [] }: Charge, settled: Settled | undefined): Unsettleable | undefined {
  if (settled && settled.misplaced.length > 0)
    return new Unsettleable('misplaced', { code: 'pix_misplaced' });
  if (oddPix.length > 0) return new Unsettleable('unreadable', { code: 'pix_unreadable' });
  const isReturnOdd = pix.some(({ oddRefunds }) => oddRefunds > 0);
  return isReturnOdd ? new Unsettleable('unreadable', { code: 'return_unreadable' }) : undefined;
}

async function assertOfPayment(
  trx: Queryable,
  { bank, pix }: BankContext,
  { test, charged }: StoredPayment,
  charge: Charge,
): Promise<void> {
  // Test money pays nothing real, whoever made a charge with this txid there (Contract: test stores).
  if (isTestBank(bank) !== test) throw new Unsettleable('contradicts', { code: 'kind_differs' });
  await assertOurKey({ db: trx, bank, pix }, charge);
  if (charge.amount !== charged) throw new Unsettleable('contradicts', { code: 'amount_differs' });
}

/**
 * A payment becomes the bank's that shows its paid charge. No bank had taken it, since an answer was lost; or its charge,
 * whose code the payer has, is in the account of another entry of BANKS_FILE, too.
 */
async function bound(
  trx: Queryable,
  { bank }: BankContext,
  payment: StoredPayment,
  charge: Charge,
): Promise<StoredPayment> {
  if (payment.bank === bank || charge.pix.length === 0) return payment;
  if (payment.bank !== null && !(await isWaitingFor(trx, payment, charge))) return payment;
  await bindToBank(trx, { id: payment.id, from: payment.bank, to: bank });
  return { ...payment, bank };
}

/** @returns whether the payer of this charge has the payment's code, and no Pix came for it yet */
async function isWaitingFor(trx: Queryable, payment: StoredPayment, charge: Charge): Promise<boolean> {
  const { id, bank, copyAndPaste: shown } = payment;
  if (shown === null || charge.copyAndPaste === null) return false;
  if (!isSameCode(shown, charge.copyAndPaste)) return false;
  return !(await listPixReceived(trx, id)).some((pix) => pix.bank === bank);
}

async function settleLocked(
  trx: Queryable,
  context: BankContext,
  { payment, charge, requestId }: { payment: StoredPayment } & Pick<Applied, 'charge' | 'requestId'>,
): Promise<Settled> {
  const shown = charge.pix.map(({ endToEndId }) => endToEndId);
  const before = await lockForNewPix(trx, shown, payment);
  const known = new Set(before.known);
  const unmatched = new Set(before.kept);
  // Only a Pix at the payment's own bank counts. One for a charge that another bank took without an answer goes back, and
  // the payer's Pix may still come.
  let { received } = before;
  const result: Settled = { payment, newPix: 0, refunds: 0, misplaced: [] };
  let isToBalance = false;
  for (const shownPix of byTime(charge.pix)) {
    const placed = asKnown(shownPix, charge, known);
    const pix = known.has(placed.endToEndId) ? placed : asKnown(shownPix, charge, unmatched);
    if (known.has(pix.endToEndId)) {
      const isChanged = await syncRefunds(trx, context, payment.id, pix);
      isToBalance ||= isChanged;
      continue;
    }
    const isKept = unmatched.has(pix.endToEndId);
    const decisive = { received, isKept, reviewAbove: before.reviewAbove };
    const applied = await applyPix(trx, context, result, { pix, charge, requestId, ...decisive });
    if (!applied) continue;
    received = true;
    isToBalance ||= applied.isToBalance;
    known.add(pix.endToEndId);
  }
  if (!isToBalance) return result;
  const balanced = await balancePayment(trx, context, result.payment);
  return { ...result, payment: balanced.payment, refunds: balanced.ordered };
}

/**
 * @returns the Pix with the id that it has on record, which may be written in another case. An id that differs in case
 * alone is another Pix's if the charge shows that id, too, with another amount or time
 */
function asKnown(pix: ReceivedPix, charge: Charge, known: ReadonlySet<string>): ReceivedPix {
  if (known.has(pix.endToEndId)) return pix;
  const isAnother = ({ amount, paidAt }: ReceivedPix) =>
    amount !== pix.amount || paidAt.getTime() !== pix.paidAt.getTime();
  const isOfAnother = (id: string) => charge.pix.some((one) => one.endToEndId === id && isAnother(one));
  const inCapitals = pix.endToEndId.toUpperCase();
  const id = [...known].find((one) => one.toUpperCase() === inCapitals && !isOfAnother(one));
  return id === undefined ? pix : { ...pix, endToEndId: id };
}

function byTime(pix: readonly ReceivedPix[]): ReceivedPix[] {
  return [...pix].sort((a, b) => a.paidAt.getTime() - b.paidAt.getTime());
}

type Applied = Pick<BeforeNewPix, 'received' | 'reviewAbove'> & {
  pix: ReceivedPix;
  /** The part that has not gone back, in centavos. */
  kept: number;
  charge: Charge;
  isKept: boolean;
  requestId: string | null;
};

const effectNames = { gone: 'returned', refund: 'refund' } as const;

/**
 * Inserts a new Pix with its returns. Their events come before the status change that they cause.
 * @returns whether its payment is to be balanced; undefined for a Pix of another payment
 */
async function applyPix(
  trx: Queryable,
  context: BankContext,
  result: Settled,
  applied: Omit<Applied, 'kept'>,
): Promise<{ isToBalance: boolean } | undefined> {
  const { payment } = result;
  const { endToEndId } = applied.pix;
  const receivedAt = context.now();
  const between = { createdAt: payment.createdAt, receivedAt };
  const shown = applied.pix;
  const pix = { ...shown, paidAt: possibleTime(shown.paidAt, shown.paidAtOtherwise, between) };
  // A return that is on record of a kept Pix stays one, also where the charge does not show it.
  const known = applied.isKept ? await listRefundsOfPix(trx, [endToEndId]) : [];
  const kept = keptOf(pix, known);
  const decided = await effectOf(trx, context, payment, { ...applied, pix, kept }, receivedAt);
  const effect = decided.kind === 'transition' ? decided.to : effectNames[decided.kind];
  const { amount, paidAt } = pix;
  const place = { bank: context.bank, txid: applied.charge.txid };
  const entry = { ...place, endToEndId, amount, effect, paidAt, receivedAt };
  const inserted = await insertPixReceived(trx, payment.id, entry);
  if (!inserted) {
    result.misplaced.push(endToEndId);
    return undefined;
  }
  result.newPix += 1;
  const hasNewReturns = await syncRefunds(trx, context, payment.id, pix);
  const change = changeOf(payment, decided, { kept, isOurs: isOursReturned(pix, known) });
  const requestId = applied.requestId ?? payment.requestId;
  if (change) {
    const returns = hasNewReturns || inserted.wasKept ? await listRefunds(trx, payment.id) : [];
    const told = await tellRefunds(trx, context, payment, returns);
    result.payment = await movePayment(trx, context, { payment: told, ...change, requestId });
  }
  if (decided.kind === 'transition' && decided.to === 'review')
    await tellReview(trx, context, result.payment, { amount: kept, reason: decided.reason });
  return { isToBalance: decided.kind === 'refund' || inserted.wasKept || hasNewReturns };
}

async function effectOf(
  trx: Queryable,
  { bank, log }: BankContext,
  payment: StoredPayment,
  { pix, kept, charge, received, reviewAbove, isKept }: Applied,
  receivedAt: Date,
): Promise<PixEffect> {
  const paidAt = believedTime(pix.paidAt, { createdAt: payment.createdAt, receivedAt });
  if (paidAt !== pix.paidAt) {
    const differenceMs = pix.paidAt.getTime() - receivedAt.getTime();
    const ids = { paymentId: payment.id, endToEndId: pix.endToEndId };
    log.warn(
      { ...ids, paidAt: pix.paidAt, differenceMs, clockSkewMs },
      'a Pix has an impossible date; the time it was seen counts',
    );
  }
  // A charge that another bank took unheard was shown to nobody: its Pix is a second one.
  const isSecond = received || payment.bank !== bank;
  const isClosed = payment.status === 'not_approved' && !isSecond;
  const receivable = {
    status: payment.status,
    charged: payment.charged,
    reviewAbove,
    // A Pix that a person gave back while it was unmatched does not count for a payment: the rest of it follows.
    received: isSecond || (isKept && kept > 0 && (await isGivenBack(trx, pix.endToEndId))),
    cancelled: isClosed && (await isCancelled(trx, payment.id)),
    deadline: believedDeadline(payment.expiresAt, charge),
  };
  return receivePix(receivable, { amount: pix.amount, kept, paidAt });
}

/** @returns the part that has not gone back, by what the bank shows and what is on record, in centavos */
function keptOf({ endToEndId, amount, refunds }: ReceivedPix, known: readonly Refund[]): number {
  const shown = refunds.filter(({ status }) => status === 'DEVOLVIDO');
  const made = known.filter(
    ({ state, id }) => state === 'refunded' && !shown.some((one) => isSameId(one.id, id)),
  );
  return leftOf(
    { endToEndId, amount },
    [...shown, ...made].map((refund) => ({ endToEndId, amount: refund.amount })),
  );
}

/** @returns whether an order of the service gave some of it back, also one that a restored database lost */
function isOursReturned({ endToEndId, refunds }: ReceivedPix, known: readonly Refund[]): boolean {
  return (
    known.some(({ origin, state }) => origin === 'service' && state === 'refunded') ||
    refunds.some(({ id, status }) => status === 'DEVOLVIDO' && refundOrdinalOf(endToEndId, id) !== null)
  );
}

/** @returns the payment's move; undefined if it stays */
function changeOf(
  payment: StoredPayment,
  effect: PixEffect,
  { kept, isOurs }: { kept: number; isOurs: boolean },
) {
  if (effect.kind === 'transition') {
    const amount = effect.to === 'approved' ? kept : payment.charged;
    return { to: effect.to, amount, actor: 'psp', reason: effect.reason };
  }
  const isGivenUp = effect.kind === 'gone' && payment.status === 'pending';
  if (!isGivenUp) return undefined;
  const reason = isOurs ? 'refunded' : 'returned_by_bank';
  return { to: 'not_approved' as const, amount: payment.charged, actor: 'refund', reason };
}
