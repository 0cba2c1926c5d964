import { type CheckedDay, recordCheckedDay } from '@payments/database/reconciliation/checked-days';
import { readOurDay } from '@payments/database/reconciliation/our-day';
import { compareDay, figuresOf } from '@payments/domain/compare-day';
import { addDays, startOf } from '@payments/domain/days';
import { readBankDay } from './bank-day.ts';
import type { BankContext } from './context.ts';

/**
 * Compares a day at one bank with our books, and keeps the result (conciliação).
 * @param day São Paulo's, `2026-11-23`; not one to come
 * @throws PixUnavailable, PixRefused if the bank can't be asked
 */
export async function checkDay(context: BankContext, day: string): Promise<CheckedDay> {
  const { db, bank, pix, now } = context;
  // Of today, only what the bank lists already is compared: a Pix may arrive while it is asked.
  const listedUntil = now().getTime() - pix.listLagMs;
  const until = new Date(Math.min(startOf(addDays(day, 1)).getTime(), listedUntil));
  const range = { since: startOf(day), until };
  const { entries, others } = await readBankDay(context, range);
  const ours = await readOurDay(db, { bank, ...range });
  const checked = {
    bank,
    day,
    checkedAt: now(),
    atBank: figuresOf(entries),
    ours: figuresOf(ours),
    others,
    differences: compareDay(entries, ours),
  };
  await recordCheckedDay(db, checked);
  return checked;
}
