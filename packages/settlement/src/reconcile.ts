import { advanceCursor, readCursor } from '@payments/database/cursors';
import { findPayment } from '@payments/database/payments';
import { paymentIdOf } from '@payments/domain/identifiers';
import type { SettlementContext } from './context.ts';
import { isOnRecord, missedTxids } from './on-record.ts';
import { type Settled, settleCharge } from './settle-charge.ts';

const minuteMs = 60_000;
const cursorName = 'pix';
const firstWindowMs = 24 * 60 * minuteMs;
// A PSP's clock may differ from ours, and it may list a Pix a little after its horario.
const overlapMs = 2 * minuteMs;
// It may also do so a quarter of an hour late. Looking that far back at each scan would ask a busy PSP for the same
// pages ninety times; now and then, and so much further, finds the same.
const lateCursorName = 'late-pix';
const lateEveryMs = 5 * minuteMs;
const lateOverlapMs = 15 * minuteMs + lateEveryMs + overlapMs;

/**
 * Finds every Pix, and every refund of a recent one, whose callback never came: reads the PSP's list from a stored
 * cursor, with an overlap, and settles what is not known yet. What the PSP lists up to a quarter of an hour late is
 * found within five minutes more. The cursor moves on only when all of the window was settled.
 * @returns how many Pix were settled that no callback had told of
 */
export async function reconcile(context: SettlementContext): Promise<number> {
  const { db, now } = context;
  const to = now();
  const cursor = (await readCursor(db, cursorName)) ?? new Date(to.getTime() - firstWindowMs);
  const isLateDue = await isLookForLateDue(context, to);
  // A replica whose clock is ahead may have moved the cursor past our own now.
  const since = Math.min(cursor.getTime(), to.getTime());
  const from = new Date(since - (isLateDue ? lateOverlapMs : overlapMs));
  const found = await settleListed(context, { from, to });
  await advanceCursor(db, cursorName, to);
  if (isLateDue) await advanceCursor(db, lateCursorName, to);
  return found;
}

/** Also where a replica whose clock is ahead was the last: it may be gone, and its next look an hour off. */
async function isLookForLateDue({ db }: SettlementContext, to: Date): Promise<boolean> {
  const last = await readCursor(db, lateCursorName);
  return !last || Math.abs(to.getTime() - last.getTime()) >= lateEveryMs;
}

/**
 * Settles what the PSP lists in a range of time and is not known so.
 * @param returned only Pix of which something went back
 * @returns how many Pix were new
 */
export async function settleListed(
  context: SettlementContext,
  range: { from: Date; to: Date; returned?: boolean },
): Promise<number> {
  let found = 0;
  for (let page = 0, pages = 1; page < pages; page += 1) {
    const list = await context.pix.listPix({ ...range, page });
    pages = list.pages;
    const { unreadable } = list;
    if (unreadable > 0) context.log.error({ unreadable, ...range }, 'the PSP lists Pix that can’t be read');
    found += await settleTxids(context, await missedTxids(context, list.pix));
  }
  return found;
}

export type SettleOptions = {
  requestId?: string | null;
  /** Hears of each payment that was settled, as soon as it is. */
  onSettled?: (settled: Settled) => void;
};

/**
 * Settles charges one by one, each once. One that can't be settled does not keep the others from it.
 * @returns how many Pix were new
 * @throws the first failure, when all were tried
 */
export async function settleTxids(
  context: SettlementContext,
  txids: readonly (string | null)[],
  options: SettleOptions = {},
): Promise<number> {
  const failures: unknown[] = [];
  let found = 0;
  for (const txid of new Set(txids)) {
    found += await settleTxid(context, txid, options).catch((error: unknown) => {
      failures.push(error);
      return 0;
    });
  }
  if (failures.length > 0) throw failures[0];
  return found;
}

/**
 * Reads a charge of ours from the PSP and settles it.
 * @param txid as anybody named it; one that is not ours is passed over
 * @returns how many Pix were new
 * @throws PixUnavailable while the PSP can't be asked
 */
async function settleTxid(
  context: SettlementContext,
  txid: string | null,
  { requestId = null, onSettled }: SettleOptions,
): Promise<number> {
  const paymentId = txid === null ? undefined : paymentIdOf(txid);
  if (!txid || !paymentId || !(await findPayment(context.db, paymentId))) return 0;
  const charge = await context.pix.getCharge(txid);
  if (!charge || (await isOnRecord(context, charge))) return 0;
  const settled = await settleCharge(context, paymentId, charge, requestId);
  if (settled) onSettled?.(settled);
  return settled?.newPix ?? 0;
}
