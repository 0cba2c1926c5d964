import type { CheckedDay } from '@payments/database/reconciliation/checked-days';
import { addFigures } from '@payments/domain/compare-day';
import type { Bank } from '@payments/pix/banks';
import { PixRefused, PixUnavailable } from '@payments/pix/errors';
import { checkDay } from '@payments/settlement/check-day';
import { atBankOf } from '@payments/settlement/context';
import type { FastifyBaseLogger } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';

/** A day of several banks together; amounts in centavos. */
export type ComparedDay = Omit<CheckedDay, 'bank'>;

/**
 * Asks the banks for a day and compares it with ours.
 * @throws ApiError 503 that names the bank that can't be asked
 */
export async function compareDayAt(
  context: ApiContext,
  { day, banks }: { day: string; banks: readonly Bank[] },
  log: FastifyBaseLogger,
): Promise<ComparedDay> {
  return together(await Promise.all(banks.map((bank) => checkAt(context, bank, day, log))));
}

async function checkAt(
  context: ApiContext,
  bank: Bank,
  day: string,
  log: FastifyBaseLogger,
): Promise<CheckedDay> {
  try {
    return await checkDay(atBankOf(context, bank.id), day);
  } catch (error) {
    if (!(error instanceof PixUnavailable || error instanceof PixRefused)) throw error;
    log.warn({ err: error, bank: bank.id, day }, 'a bank could not be asked for a day');
    throw errors.bankUnavailable(bank.id);
  }
}

/** @param days of the same date, at least one */
export function together(days: readonly CheckedDay[]): ComparedDay {
  const [{ day }] = days as [CheckedDay];
  const others = days.map((one) => one.others);
  return {
    day,
    checkedAt: new Date(Math.min(...days.map(({ checkedAt }) => checkedAt.getTime()))),
    atBank: addFigures(days.map(({ atBank }) => atBank)),
    ours: addFigures(days.map(({ ours }) => ours)),
    others: {
      count: others.reduce((sum, { count }) => sum + count, 0),
      amount: others.reduce((sum, { amount }) => sum + amount, 0),
    },
    differences: days.flatMap(({ differences }) => differences),
  };
}
