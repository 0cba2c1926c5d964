import type { CheckedDay } from '@payments/database/reconciliation/checked-days';
import { addFigures } from '@payments/domain/compare-day';
import type { Bank } from '@payments/pix/banks';
import { PixRefused, PixUnavailable } from '@payments/pix/errors';
import { atBankOf } from '@payments/settlement/context';
import { checkDay, isFinal } from '@payments/settlement/days/check-day';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AdministrationContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';

/** A day of several banks together; amounts in centavos. */
export type ComparedDay = Omit<CheckedDay, 'bank'> & {
  /** Whether each bank was asked after the day's end. */
  isFinal: boolean;
};

type Asking = { day: string; banks: readonly Bank[]; request: FastifyRequest; reply: FastifyReply };

/**
 * Asks the banks for a day and compares it with ours. A client that goes away ends it.
 * @throws ApiError 503 that names the bank that can't be asked; 429 if too many comparisons wait
 */
export async function compareDayAt(
  context: AdministrationContext,
  { day, banks, request, reply }: Asking,
): Promise<ComparedDay> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const checkAt = async ({ id }: Bank): Promise<CheckedDay> => {
    try {
      return await checkDay(atBankOf(context, id), day, gone.signal);
    } catch (error) {
      const isOfBank = error instanceof PixUnavailable || error instanceof PixRefused;
      if (!isOfBank && !gone.signal.aborted) throw error;
      request.log.warn({ err: error, bank: id, day }, 'a bank could not be asked for a day');
      throw errors.bankUnavailable(id);
    }
  };
  const days = await context.longReads.compare(request.actor, () => Promise.all(banks.map(checkAt)));
  return together(days, context.now());
}

/** @param days of the same date, at least one */
export function together(days: readonly CheckedDay[], now: Date): ComparedDay {
  const [{ day }] = days as [CheckedDay];
  const others = days.map((one) => one.others);
  return {
    day,
    checkedAt: new Date(Math.min(...days.map(({ checkedAt }) => checkedAt.getTime()))),
    isFinal: days.every(({ checkedAt }) => isFinal({ date: day, checkedAt }, now)),
    atBank: addFigures(days.map(({ atBank }) => atBank)),
    ours: addFigures(days.map(({ ours }) => ours)),
    others: {
      count: others.reduce((sum, { count }) => sum + count, 0),
      amount: others.reduce((sum, { amount }) => sum + amount, 0),
    },
    differences: days.flatMap(({ differences }) => differences),
  };
}
