import {
  type CheckedDay,
  readOurDay,
  recordCheckedDay,
} from '@payments/database/reconciliation/checked-days';
import { inTransaction } from '@payments/database/transaction';
import { compareDay, figuresOf, isWhole } from '@payments/domain/compare-day';
import { addDays, dayOf, startOf } from '@payments/domain/days';
import type { BankContext } from '../context.ts';
import { tellDifferences } from '../notices.ts';
import { readBankDay } from './bank-day.ts';
import { reconcileDay } from './reconcile.ts';

/**
 * Settles what a bank lists of a day that is over, and then compares it (conciliação). Differences of a whole day are told.
 * @throws PixUnavailable, PixRefused if the bank can't be asked
 */
export async function settleAndCheckDay(context: BankContext, day: string): Promise<CheckedDay> {
  await reconcileDay(context, day);
  return keep(context, await compare(context, day, { settled: true }));
}

/**
 * Compares a day at one bank with our books as they are, and keeps the result. A person who looks settles nothing, so what
 * differs may only be on its way: the service then settles and compares the day itself, and tells what is left.
 * @param day São Paulo's, `2026-11-23`; not one to come
 * @param signal ends the check, and keeps nothing, when nobody waits for it any more
 * @throws PixUnavailable, PixRefused if the bank can't be asked; the signal's reason
 */
export async function checkDay(context: BankContext, day: string, signal?: AbortSignal): Promise<CheckedDay> {
  return keep(context, await compare(context, day, { settled: false, signal }));
}

type How = { settled: boolean; signal?: AbortSignal | undefined };

async function compare(context: BankContext, day: string, { settled, signal }: How): Promise<CheckedDay> {
  const { db, bank, pix, now } = context;
  // The day counts as seen at the time when the bank was first asked for what is compared.
  const checkedAt = now();
  // For today, compare only what the bank has listed: a Pix may arrive while it is asked.
  const listedUntil = checkedAt.getTime() - pix.listLagMs;
  const until = new Date(Math.min(startOf(addDays(day, 1)).getTime(), listedUntil));
  const range = { since: startOf(day), until };
  const { entries, unreadable, others } = await readBankDay(context, range, signal);
  const ours = await readOurDay(db, { bank, ...range });
  return {
    ...{ bank, day, checkedAt, settled, others },
    atBank: figuresOf(entries),
    ours: figuresOf(ours),
    differences: compareDay(entries, ours, unreadable),
  };
}

async function keep({ db, now }: BankContext, checked: CheckedDay): Promise<CheckedDay> {
  const { day, checkedAt, settled, differences } = checked;
  const sawWholeDay = isFinal({ date: day, checkedAt }, now());
  await inTransaction(db, async (trx) => {
    const isNewest = await recordCheckedDay(trx, checked, now());
    if (isNewest && settled && sawWholeDay && differences.length > 0) await tellDifferences(trx, checked);
  });
  return checked;
}

/** A day's last check. */
export type Check = { date: string; checkedAt: Date; settled: boolean; differences: number };

const againAfterMs = 6 * 60 * 60_000;
const lookBackDays = 7;

/** @returns the first day that a scan looks at */
export function firstDayToCheck(now: Date): string {
  return addDays(dayOf(now), -lookBackDays);
}

/**
 * @returns whether a check saw the whole day: it was made after the day's end, and after what a bank lists late. An
 * earlier look agrees with a part of the day alone
 */
export function isFinal({ date, checkedAt }: Pick<Check, 'date' | 'checkedAt'>, now: Date): boolean {
  // A check with a time in the future was made by a clock that was ahead. Where the day ended only lately, that clock may
  // have shown its end too early.
  const isAhead = checkedAt > now && date >= addDays(dayOf(now), -1);
  return isWhole(date, checkedAt) && !isAhead;
}

/**
 * @param knownSince when the bank was configured: there is nothing to compare before
 * @param checks the last check of each day that was checked
 * @returns the days to settle and compare now, oldest first: those whose last check did not settle them or did not see all
 * of them, every six hours those that differed, and each day once more a day later. A bank may list a Pix or a return
 * hours late, and the first comparison of its day agrees without it
 */
export function daysToCheck(now: Date, knownSince: Date, checks: readonly Check[]): string[] {
  const known = new Map(checks.map((check) => [check.date, check]));
  const today = dayOf(now);
  const days: string[] = [];
  for (let day = firstDayToCheck(now); day < today; day = addDays(day, 1)) {
    const last = known.get(day);
    const isOver = isWhole(day, now);
    const isDifferent = last !== undefined && last.differences > 0;
    const next = addDays(day, 1);
    const isOpen =
      !last?.settled ||
      !isFinal(last, now) ||
      (isWhole(next, now) && !isWhole(next, last.checkedAt)) ||
      (isDifferent && now.getTime() - last.checkedAt.getTime() >= againAfterMs);
    if (day >= dayOf(knownSince) && isOver && isOpen) days.push(day);
  }
  return days;
}
