import { listKnownBanks } from '@payments/database/banks/banks';
import { listCheckedDays } from '@payments/database/reconciliation/checked-days';
import { dayOf } from '@payments/domain/days';
import { checkDay, daysToCheck, firstDayToCheck } from '@payments/settlement/days/check-day';
import type { BankScan } from './scan.ts';

/** Compares the last days at a bank with our books (conciliação), one day a turn. */
export const checkDays: BankScan = async (context) => {
  const { db, bank, log, now } = context;
  const known = (await listKnownBanks(db)).find(({ id }) => id === bank);
  if (!known) return false;
  const range = { from: firstDayToCheck(now()), to: dayOf(now()), bank };
  const [day, ...more] = daysToCheck(now(), known.knownSince, await listCheckedDays(db, range));
  if (day === undefined) return false;
  const { differences } = await checkDay(context, day);
  if (differences.length > 0)
    log.error({ bank, day, differences: differences.length }, 'the bank and our books differ');
  return more.length > 0;
};
