import type { Queryable } from '@payments/database/connection';
import { recordRefundProgress } from '@payments/database/refunds/claims';
import { insertRefundAtBank } from '@payments/database/refunds/of-bank';
import { listRefundsOfPix, type Refund } from '@payments/database/refunds/refunds';
import { refundIdOf } from '@payments/domain/identifiers';
import { clockSkewMs } from '@payments/domain/paid-in-time';
import type { RefundState } from '@payments/domain/refunds';
import type { Refund as PspRefund, ReceivedPix } from '@payments/pix/client';
import type { SettlementContext } from './context.ts';
import { type Pauses, tryAgainAt } from './pause.ts';

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

/** @returns when to ask for the state of a refund again, ours or the bank's; null for a final state */
export function askAgainAt(state: RefundState, tries: number, now: Date): Date | null {
  return state === 'processing' ? tryAgainAt(tries, now, askAgain) : null;
}

/**
 * @returns when a refund was made: the bank's time, unless it lies in the future; ours if the bank gives none. Null for
 * one that was not made
 */
export function madeAtOf({ status, settledAt }: PspRefund, now: Date): Date | null {
  if (status !== 'DEVOLVIDO') return null;
  const isPossible = settledAt !== null && settledAt.getTime() <= now.getTime() + clockSkewMs;
  return isPossible ? settledAt : now;
}

type Log = Pick<SettlementContext, 'now' | 'log'>;

/**
 * Records the refunds that a Pix shows: new ones that the bank started (MED), and new states of ours.
 * @param paymentId null for an unmatched Pix
 * @returns whether anything was new; then balance the payment
 */
export async function syncRefunds(
  trx: Queryable,
  context: Log,
  paymentId: string | null,
  pix: ReceivedPix,
): Promise<boolean> {
  if (pix.refunds.length === 0) return false;
  const { endToEndId } = pix;
  const known = new Map((await listRefundsOfPix(trx, endToEndId)).map((refund) => [refund.id, refund]));
  // The highest possible ordinal of our refunds: each one is shown, or known.
  const ordinals = known.size + pix.refunds.length;
  let isChanged = false;
  for (const refund of pix.refunds) {
    const ours = known.get(refund.id);
    if (!ours) await enter(trx, context, { paymentId, endToEndId }, { refund, ordinals });
    const isMoved = ours ? await moveOn(trx, context, ours, refund) : true;
    isChanged ||= isMoved;
  }
  return isChanged;
}

async function enter(
  trx: Queryable,
  { now, log }: Log,
  ids: { paymentId: string | null; endToEndId: string },
  { refund, ordinals }: { refund: PspRefund; ordinals: number },
): Promise<void> {
  const { id, amount, rtrId } = refund;
  const at = now();
  const state = refundStateOf(refund);
  const ordinal = ordinalOf(ids.endToEndId, id, ordinals);
  const reason = refund.nature ?? 'bank';
  const tryAt = askAgainAt(state, 1, at);
  const madeAt = madeAtOf(refund, at);
  const entry = { ...ids, id, amount, ordinal, reason, state, rtrId, madeAt, tryAt, now: at };
  await insertRefundAtBank(trx, entry);
  const says = ordinal === null ? 'the bank refunds a Pix by itself' : 'the bank has a refund of ours';
  log.warn({ ...ids, refundId: id, reason, state }, says);
}

/** @returns the ordinal of our refund with this id, which a restored database may lack; null for the bank's */
function ordinalOf(endToEndId: string, id: string, ordinals: number): number | null {
  for (let ordinal = 1; ordinal <= ordinals; ordinal += 1) {
    if (refundIdOf(endToEndId, ordinal) === id) return ordinal;
  }
  return null;
}

async function moveOn(
  trx: Queryable,
  { now, log }: Log,
  { id, endToEndId, paymentId, state: before, tries, amount: amountBefore }: Refund,
  refund: PspRefund,
): Promise<boolean> {
  const state = refundStateOf(refund);
  if (state === before && refund.amount === amountBefore) return false;
  const at = now();
  const tryAt = askAgainAt(state, tries, at);
  const { rtrId, amount, reason: error } = refund;
  const madeAt = madeAtOf(refund, at);
  const progress = { id, endToEndId, state, amount, rtrId, error, madeAt, tryAt, now: at };
  const moved = await recordRefundProgress(trx, progress);
  const ids = { paymentId, refundId: id, endToEndId };
  if (moved && state === 'failed') log.error({ ...ids, reason: error }, 'the PSP did not make a refund');
  return moved;
}
