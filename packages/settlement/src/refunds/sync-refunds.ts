import type { Queryable } from '@payments/database/connection';
import {
  completeRefund,
  forgetLooks,
  type RefundDetails,
  recordRefundProgress,
} from '@payments/database/refunds/claims';
import { insertRefundAtBank, listRefundsOfPix, type Refund } from '@payments/database/refunds/refunds';
import { inTransaction } from '@payments/database/transaction';
import { type BankError, bankWords } from '@payments/domain/bank-error';
import { refundOrdinalOf } from '@payments/domain/identifiers';
import { clockSkewMs } from '@payments/domain/paid-in-time';
import { type RefundState, untoldNature } from '@payments/domain/refunds';
import { isSameId } from '@payments/pix/answers';
import type { Refund as PspRefund, ReceivedPix } from '@payments/pix/client';
import { type Pauses, tryAgainAt } from '../answers.ts';
import { balanceHolder, lockHolder } from '../balance.ts';
import type { BankContext, SettlementContext } from '../context.ts';
import { tellReturned } from '../notices.ts';

// A bank takes seconds, sometimes days.
const askAgain: Pauses = { firstMs: 5_000, longestMs: 60 * 60_000 };

const stateOf: Record<PspRefund['status'], RefundState> = {
  EM_PROCESSAMENTO: 'processing',
  DEVOLVIDO: 'refunded',
  NAO_REALIZADO: 'failed',
};

/** @returns a refund's state by the PSP's status (API Pix 2.9, `devolucoes`) */
export function refundStateOf(refund: PspRefund): RefundState {
  return stateOf[refund.status];
}

/** @returns what the PSP says of a refund, to be recorded */
function progressOf(refund: PspRefund, tries: number, now: Date) {
  const { rtrId, amount, reason } = refund;
  const error = bankWords(reason);
  const state = refundStateOf(refund);
  const tryAt = state === 'processing' ? askAgainAt(tries, now) : null;
  return { state, amount, rtrId, error, madeAt: madeAtOf(refund, now), tryAt, now };
}

/** @returns when to ask again for the state of a refund in progress, ours or the bank's */
export function askAgainAt(tries: number, now: Date): Date {
  return tryAgainAt(tries, now, askAgain);
}

/**
 * @returns when a refund was made: the bank's time, unless it lies in the future; ours if the bank gives none. Null for
 * one that was not made
 */
function madeAtOf({ status, settledAt }: PspRefund, now: Date): Date | null {
  if (status !== 'DEVOLVIDO') return null;
  const isPossible = settledAt !== null && settledAt.getTime() <= now.getTime() + clockSkewMs;
  return isPossible ? settledAt : now;
}

/**
 * Records the PSP's response to a claimed refund, and balances its money.
 * @param conclusion the reason, if the PSP did not say so: any later word of it replaces that
 * @returns false if its callback was faster, and recorded the same
 */
export async function recordResponse(
  context: BankContext,
  refund: Refund,
  response: PspRefund,
  conclusion?: BankError,
): Promise<boolean> {
  const { id, endToEndId, tries } = refund;
  return inTransaction(context.db, async (trx) => {
    const holder = await lockHolder(trx, refund);
    const told = progressOf(response, tries, context.now());
    const progress = conclusion ? { ...told, error: conclusion, concluded: true } : told;
    const isNew = await recordRefundProgress(trx, { id, endToEndId, ...progress });
    await balanceHolder(trx, context, holder);
    return isNew;
  });
}

/** @returns the response that says that a claimed refund was not made */
export function notMade({ id, amount }: Refund): PspRefund {
  return { id, amount, rtrId: null, nature: null, status: 'NAO_REALIZADO', reason: null, settledAt: null };
}

/**
 * Records the refunds that a Pix shows: new ones that began at the bank, and new states of ours.
 * @param paymentId null for an unmatched Pix
 * @returns whether anything was new; then balance the payment
 */
export async function syncRefunds(
  trx: Queryable,
  context: SettlementContext,
  paymentId: string | null,
  pix: ReceivedPix,
): Promise<boolean> {
  if (pix.refunds.length === 0) return false;
  const { endToEndId } = pix;
  const known = await listRefundsOfPix(trx, [endToEndId]);
  let isChanged = false;
  for (const refund of pix.refunds) {
    const ours = known.find(({ id }) => isSameId(id, refund.id));
    if (!ours) await enter(trx, context, { paymentId, endToEndId }, refund);
    const isMoved = ours ? await moveOn(trx, context, ours, refund) : true;
    isChanged ||= isMoved;
  }
  return isChanged;
}

async function enter(
  trx: Queryable,
  context: SettlementContext,
  ids: { paymentId: string | null; endToEndId: string },
  refund: PspRefund,
): Promise<void> {
  const { now, log } = context;
  const { id, nature } = refund;
  const ordinal = refundOrdinalOf(ids.endToEndId, id);
  const reason = nature ?? untoldNature;
  const progress = progressOf(refund, 1, now());
  await insertRefundAtBank(trx, { ...ids, id, ordinal, reason, ...progress });
  const says = ordinal === null ? 'the bank refunds a Pix by itself' : 'the bank has a refund of ours';
  log.warn({ ...ids, refundId: id, reason, state: progress.state }, says);
  if (ordinal === null && progress.state !== 'failed')
    await tellReturned(trx, context, { ...ids, refundId: id, amount: refund.amount, reason });
}

async function moveOn(
  trx: Queryable,
  context: SettlementContext,
  known: Refund,
  refund: PspRefund,
): Promise<boolean> {
  const { now, log } = context;
  const { id, endToEndId, paymentId, state, tries, looks, amount } = known;
  const details = newIn(known, refund);
  if (details) await completeRefund(trx, known, details);
  const progress = progressOf(refund, tries, now());
  if (looks > 0) await forgetLooks(trx, { endToEndId, id });
  if (progress.state === state && progress.amount === amount) return false;
  const moved = await recordRefundProgress(trx, { id, endToEndId, ...progress });
  const ids = { paymentId, refundId: id, endToEndId, reason: refund.reason };
  if (moved && progress.state === 'failed') log.error(ids, 'the PSP did not make a refund');
  // One that was refused at first was told to nobody.
  if (moved && known.origin === 'bank' && state === 'failed')
    await tellReturned(trx, context, {
      ...ids,
      amount: refund.amount,
      reason: refund.nature ?? known.reason,
    });
  return moved;
}

/** @returns what the bank shows of a refund and is not on record; null for nothing. Its later answers may say more */
function newIn(known: Refund, refund: PspRefund): RefundDetails | null {
  const madeAt = timeFor(known, refund);
  const words = refundStateOf(refund) === known.state ? bankWords(refund.reason) : null;
  const details: RefundDetails = {
    ...(madeAt && { madeAt }),
    ...(known.rtrId === null && refund.rtrId !== null && { rtrId: refund.rtrId }),
    ...(known.reason === untoldNature && refund.nature !== null && { reason: refund.nature }),
    ...(known.lastError === null && words && { lastError: words }),
  };
  return Object.keys(details).length > 0 ? details : null;
}

/** @returns the bank's time of a refund that was recorded with ours; null if nothing is to be corrected */
function timeFor({ state, madeAt, updatedAt }: Refund, refund: PspRefund): Date | null {
  const isOurs = state === 'refunded' && madeAt?.getTime() === updatedAt.getTime();
  const time = isOurs && refund.settledAt !== null ? madeAtOf(refund, updatedAt) : null;
  return time?.getTime() === updatedAt.getTime() ? null : time;
}

/**
 * Adds to returns on record what their first answers lacked, by what the bank shows now. The time counts for totals: a
 * return just before midnight belongs to that day's conciliação.
 */
export async function completeReturns({ db }: SettlementContext, pix: readonly ReceivedPix[]): Promise<void> {
  const returned = new Map(
    pix.filter(({ refunds }) => refunds.length > 0).map((one) => [one.endToEndId, one]),
  );
  for (const known of await listRefundsOfPix(db, [...returned.keys()])) {
    const refund = returned.get(known.endToEndId)?.refunds.find(({ id }) => isSameId(id, known.id));
    const details = refund && newIn(known, refund);
    if (!details) continue;
    await inTransaction(db, async (trx) => {
      await lockHolder(trx, known);
      await completeRefund(trx, known, details);
    });
  }
}
