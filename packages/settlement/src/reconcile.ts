import { advanceCursor, readCursor } from '@payments/database/charges/cursors';
import type { SettlementContext } from './context.ts';
import { settleListed } from './settle-listed.ts';
import { slicesOf } from './slices.ts';

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
 * found within five minutes more. The cursor moves on slice by slice; a charge that can't be settled does not hold it.
 * @returns how many Pix were settled that no callback had told of
 * @throws PixUnavailable while the PSP can't be asked
 */
export async function reconcile(context: SettlementContext): Promise<number> {
  const { db, now, pix } = context;
  const to = now();
  const cursor = (await readCursor(db, cursorName)) ?? new Date(to.getTime() - firstWindowMs);
  const isLateDue = await isLookForLateDue(context, to);
  // A replica whose clock is ahead may have moved the cursor past our own now.
  const since = Math.min(cursor.getTime(), to.getTime());
  const from = new Date(since - (isLateDue ? lateOverlapMs : overlapMs));
  let found = 0;
  for (const slice of slicesOf({ from, to }, pix.longestListMs)) {
    found += await settleListed(context, { ...slice, strangers: isLateDue });
    await advanceCursor(db, cursorName, slice.to);
  }
  if (isLateDue) await advanceCursor(db, lateCursorName, to);
  return found;
}

/** Also where a replica whose clock is ahead was the last: it may be gone, and its next look an hour off. */
async function isLookForLateDue({ db }: SettlementContext, to: Date): Promise<boolean> {
  const last = await readCursor(db, lateCursorName);
  return !last || Math.abs(to.getTime() - last.getTime()) >= lateEveryMs;
}
