import { type CheckedDay, recordCheckedDay } from '@payments/database/reconciliation/checked-days';
import { readOurDay } from '@payments/database/reconciliation/our-day';
import { compareDay, figuresOf } from '@payments/domain/compare-day';
import { addDays, startOf } from '@payments/domain/days';
import type { BankContext } from '../context.ts';
import { readBankDay } from './bank-day.ts';

/**
 * Compares a day at one bank with our books, and keeps the result (conciliação).
 * @param day São Paulo's, `2026-11-23`; not one to come
 * @param signal ends the check, and keeps nothing, when nobody waits for it any more
 * @throws PixUnavailable, PixRefused if the bank can't be asked; the signal's reason
 */
export async function checkDay(context: BankContext, day: string, signal?: AbortSignal): Promise<CheckedDay> {
  const { db, bank, pix, now } = context;
  // The day counts as seen at the time when the bank was first asked.
  const checkedAt = now();
  // Of today, only what the bank lists already is compared: a Pix may arrive while it is asked.
  const listedUntil = checkedAt.getTime() - pix.listLagMs;
  const until = new Date(Math.min(startOf(addDays(day, 1)).getTime(), listedUntil));
  const range = { since: startOf(day), until };
  const { entries, unreadable, others } = await readBankDay(context, range, signal);
  const ours = await readOurDay(db, { bank, ...range });
  const checked = {
    bank,
    day,
    checkedAt,
    atBank: figuresOf(entries),
    ours: figuresOf(ours),
    others,
    differences: compareDay(entries, ours, unreadable),
  };
  await recordCheckedDay(db, checked);
  return checked;
}
