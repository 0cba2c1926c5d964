import { advanceCursor, readCursor } from '@payments/database/charges/cursors';
import type { BankContext } from '../context.ts';
import { settleListed } from '../pix/settle-listed.ts';
import { slicesOf } from './slices.ts';

const minuteMs = 60_000;
const newPix = 'pix';
const firstWindowMs = 24 * 60 * minuteMs;
// A PSP's clock may differ from ours, and it may list a Pix a little after its horario.
const overlapMs = 2 * minuteMs;
// The PSP may also list a Pix a quarter of an hour late. Looking that far back at every scan would read the same pages
// ninety times, so it happens every few minutes.
const latePix = 'late-pix';
const lateEveryMs = 5 * minuteMs;
const lateOverlapMs = 15 * minuteMs + lateEveryMs + overlapMs;

/**
 * Settles Pix, and refunds of recent Pix, whose callback got lost. It reads the PSP's list from a stored cursor, with
 * an overlap. A Pix that is listed up to a quarter of an hour late is found within five more minutes. The cursor
 * advances slice by slice; a charge that can't be settled does not stop it.
 * @returns how many Pix were settled that no callback reported
 * @throws PixUnavailable while the PSP is down
 */
export async function reconcile(context: BankContext): Promise<number> {
  const { db, now, bank, pix } = context;
  const to = now();
  const cursor = (await readCursor(db, { bank, name: newPix }, to)) ?? (await beginAnew(context, to));
  const isLateDue = await isLookForLateDue(context, to);
  const since = Math.min(cursor.getTime(), to.getTime());
  const from = new Date(since - (isLateDue ? lateOverlapMs : overlapMs));
  let found = 0;
  for (const slice of slicesOf({ from, to }, pix.longestListMs)) {
    found += await settleListed(context, { ...slice, strangers: isLateDue });
    await advanceCursor(db, { bank, name: newPix }, slice.to, to);
  }
  if (isLateDue) await advanceCursor(db, { bank, name: latePix }, to, to);
  return found;
}

/**
 * Sets the cursor a day back: before the first run, or after a clock that was ahead. It is stored before the bank is
 * asked, so that the day begins here also if the bank's lists fail for longer.
 */
async function beginAnew({ db, bank }: BankContext, to: Date): Promise<Date> {
  const begin = new Date(to.getTime() - firstWindowMs);
  await advanceCursor(db, { bank, name: newPix }, begin, to);
  return begin;
}

async function isLookForLateDue({ db, bank }: BankContext, to: Date): Promise<boolean> {
  const last = await readCursor(db, { bank, name: latePix }, to);
  return !last || to.getTime() - last.getTime() >= lateEveryMs;
}
