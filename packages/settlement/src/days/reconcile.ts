import { advanceCursor, listCursorsSince, readCursor } from '@payments/database/cursors';
import { firstPaymentAt } from '@payments/database/payments/payments';
import { addDays, startOf } from '@payments/domain/days';
import type { BankContext } from '../context.ts';
import { settleListed } from '../pix/settle-listed.ts';

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
 * Sets the cursor a day back, at the first run or after a clock that was ahead. The cursor is stored before the bank is
 * asked: if its lists fail for hours, the later runs still begin at this time, and not a day before their own.
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

const hourMs = 60 * minuteMs;
/** After a failure, the bank is asked again for the same part of its lists only after this: it may refuse it for days. */
export const afterFailureMs = 10 * minuteMs;
const everyMs = 6 * hourMs;
const dayMs = 24 * hourMs;
// As much as most banks list with one call: a list of four days holds its last second, too.
const sliceMs = 4 * dayMs - 1_000;
// A payer's bank may ask for a Pix back for 80 days (MED), and a refund may be made for 90.
const slices = 23;

/**
 * Finds refunds whose callback got lost, of Pix up to 92 days old. `reconcile` reads recent Pix only, and a bank may
 * take a Pix back after weeks. Each slice of these days is checked every six hours, the newest first. A slice
 * from before the first payment can hold nothing of ours, and the bank is not asked for it. A failing slice does not stop
 * the others, and is due again after ten minutes.
 * @throws the first failure, after all slices were tried
 */
export async function reconcileReturned(context: BankContext): Promise<void> {
  let age = await firstDue(context);
  if (age === slices) return;
  const firstPayment = await firstPaymentAt(context.db);
  const failures: unknown[] = [];
  for (; age < slices; age = await firstDue(context, age + 1))
    await lookAt(context, age, firstPayment).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** @returns the first slice from this one on that nobody has checked for six hours; none is left at {@link slices} */
async function firstDue({ db, now, bank }: BankContext, from = 0): Promise<number> {
  const at = now();
  const since = new Date(at.getTime() - everyMs);
  const checked = await listCursorsSince(db, bank, { since, now: at });
  let age = from;
  while (age < slices && checked.has(nameOf(age))) age += 1;
  return age;
}

const nameOf = (age: number) => `returned-pix-${age}`;

async function lookAt(context: BankContext, age: number, firstPayment: Date | undefined): Promise<void> {
  const { db, now, bank, pix } = context;
  const at = now();
  const cursor = { bank, name: nameOf(age) };
  // Until it has succeeded, it counts as checked so long ago that it is soon due again.
  await advanceCursor(db, cursor, new Date(at.getTime() - everyMs + afterFailureMs), at);
  const to = new Date(at.getTime() - age * sliceMs);
  const range = { from: new Date(to.getTime() - sliceMs), to };
  // A bank's clock may differ from ours.
  const mayHoldOurs = firstPayment !== undefined && to.getTime() > firstPayment.getTime() - dayMs;
  for (const slice of mayHoldOurs ? slicesOf(range, pix.longestListMs) : [])
    await settleListed(context, { ...slice, returned: true });
  await advanceCursor(db, cursor, at, at);
}

/**
 * Settles what the PSP lists of a day that is over, São Paulo's, and the returns up to its end: a Pix may be listed hours
 * late, and no callback have told of either.
 * @throws PixUnavailable, PixRefused
 */
export async function reconcileDay(context: BankContext, day: string): Promise<void> {
  const { longestListMs } = context.pix;
  const [from, to] = [startOf(day), startOf(addDays(day, 1))];
  for (const slice of slicesOf({ from, to }, longestListMs))
    await settleListed(context, { ...slice, strangers: true });
  const returnedFrom = new Date(to.getTime() - slices * sliceMs);
  for (const slice of slicesOf({ from: returnedFrom, to }, longestListMs))
    await settleListed(context, { ...slice, returned: true });
}

/** A range of time at the PSP. */
export type Slice = { from: Date; to: Date };

/**
 * @param longestMs the longest range that the bank lists
 * @returns the range in parts that the bank lists, first to last; none where it begins after its end
 */
export function slicesOf({ from, to }: Slice, longestMs: number): Slice[] {
  const slices: Slice[] = [];
  for (let start = from.getTime(); start < to.getTime(); start += longestMs) {
    const end = Math.min(start + longestMs, to.getTime());
    slices.push({ from: new Date(start), to: new Date(end) });
  }
  return slices;
}
