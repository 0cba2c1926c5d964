import { listKnownBanks } from '@payments/database/banks/banks';
import type { Database } from '@payments/database/connection';
import { listCheckedDays } from '@payments/database/reconciliation/checked-days';
import { addDays, dayOf, startOf } from '@payments/domain/days';
import type { BankContext } from '../../src/context.ts';
import { checkDay, daysToCheck, firstDayToCheck } from '../../src/days/check-day.ts';

/**
 * Compares the days that are due, as the dispatcher does.
 * @returns how many
 */
export async function checkDays(context: BankContext): Promise<number> {
  const { db, bank, now } = context;
  const { knownSince } = (await listKnownBanks(db)).find(({ id }) => id === bank)!;
  const checks = await listCheckedDays(db, { from: firstDayToCheck(now()), to: dayOf(now()), bank });
  const due = daysToCheck(now(), knownSince, checks);
  for (const day of due) await checkDay(context, day);
  return due.length;
}

/** Compares today, as a person does in the panel. */
export async function lookAtToday(context: BankContext): Promise<void> {
  await checkDay(context, dayOf(context.now()));
}

/** @returns in words, the days whose last check after a scan was made before they ended */
export async function checkedTooEarly(db: Database, bank: string, now: Date): Promise<string[]> {
  const days = await listCheckedDays(db, { from: firstDayToCheck(now), to: addDays(dayOf(now), -2), bank });
  return days
    .filter(({ date, checkedAt }) => checkedAt.getTime() < startOf(addDays(date, 1)).getTime())
    .map(({ date, checkedAt }) => `${date} at ${bank} was last compared at ${checkedAt.toISOString()}`);
}
