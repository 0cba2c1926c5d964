import { type KnownBank, listKnownBanks } from '@payments/database/banks/banks';
import {
  type CheckedDay,
  type DayRange,
  findCheckedDay,
  findOurDays,
  listCheckedDays,
} from '@payments/database/reconciliation/checked-days';
import type { Author } from '@payments/database/record/changes';
import type { Refund } from '@payments/database/refunds/refunds';
import type { KindFilter } from '@payments/database/stores/kinds';
import { periods, type StatementItem, type StatementQuery } from '@payments/database/totals/statement';
import { groupings, type TotalsQuery } from '@payments/database/totals/totals';
import { addFigures } from '@payments/domain/compare-day';
import { dayOf, isDay } from '@payments/domain/days';
import { banksOf, isTestBank } from '@payments/domain/route-charge';
import type { Bank } from '@payments/pix/banks';
import { PixRefused, PixUnavailable } from '@payments/pix/errors';
import { atBankOf } from '@payments/settlement/context';
import { checkDay, isFinal } from '@payments/settlement/days/check-day';
import { orderRefundOfUnmatched } from '@payments/settlement/pix/unmatched';
import { type Actor, readStoreFilter } from '../../access/actor.ts';
import type { AdministrationContext, Log } from '../../context.ts';
import { type Columns, csvAmount } from '../../http/csv.ts';
import { rules, wrongField } from '../../http/errors/api-error.ts';
import { errors } from '../../http/errors/errors.ts';
import { isUnstorable, readOneOf, readOrderedRange } from '../../http/readers.ts';
import { beginRefunds, turnOfPerson } from '../../public/refunds/actions.ts';
import { readBankFilter } from '../banks/actions.ts';

/** Actions on the books: sum, read statements, compare days, refund unmatched Pix. */

/**
 * Reads which sums are asked for.
 * @throws ApiError 400 for the first wrong parameter
 */
export async function readTotalsQuery(
  context: AdministrationContext,
  actor: Actor,
  query: Record<string, unknown>,
): Promise<TotalsQuery> {
  const { by = 'day' } = query;
  return {
    ...readOrderedRange(query),
    by: readOneOf('by', by, groupings),
    ...readStoreFilter(actor, query),
    ...(await readBankFilter(context, actor, query)),
  };
}

/**
 * Reads the days of a statement.
 * @throws ApiError 400 for the first wrong parameter
 */
export function readStatementQuery(query: Record<string, unknown>): Omit<StatementQuery, 'storeId'> {
  const [from, to] = [dayOrNone('from', query.from), dayOrNone('to', query.to)];
  if (from !== undefined && to !== undefined && from > to) throw wrongField('to', rules.notBeforeFrom);
  return { from, to, by: readOneOf('by', query.by ?? 'day', periods) };
}

function dayOrNone(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !isDay(value)) throw wrongField(name, rules.endOfRange);
  return value;
}

/** The columns of a statement's CSV; amounts in reais. */
export const statementCsv: Columns<StatementItem> = {
  period: ({ period }) => ({ period }),
  received: ({ received }) => csvAmount(received),
  fees: ({ fees }) => csvAmount(fees),
  givenBack: ({ givenBack }) => csvAmount(givenBack),
  closing: ({ closing }) => csvAmount(closing),
};

/** A day of several banks together; amounts in centavos. */
export type ComparedDay = Omit<CheckedDay, 'bank' | 'settled'> & {
  /** Whether each bank was asked after the day's end. */
  isFinal: boolean;
  /** The ids of banks that were not asked at all. */
  missing: readonly string[];
};

type Comparison = {
  day: string;
  /** One bank, or all of its kind together. */
  of: { bank: Bank } | { test: boolean };
  actor: Actor;
  /** Ends the comparison, for a client that went away. */
  gone: AbortSignal;
};

/**
 * Asks the banks for a day and compares it with ours.
 * @throws ApiError 503 that names the bank that can't be asked; 409 without a test bank; 429 if too many comparisons wait
 */
export async function compareWithBanks(
  context: AdministrationContext,
  { day, of, actor, gone }: Comparison,
  log: Log,
): Promise<ComparedDay> {
  const banks = 'bank' in of ? [of.bank] : await banksOfDay(context, day, of.test);
  const checkAt = async ({ id }: Bank): Promise<CheckedDay> => {
    try {
      return await checkDay(atBankOf(context, id), day, gone);
    } catch (error) {
      const isOfBank = error instanceof PixUnavailable || error instanceof PixRefused;
      if (!isOfBank && !gone.aborted) throw error;
      log.warn({ err: error, bank: id, day }, 'a bank could not be asked for a day');
      throw errors.bankUnavailable(id);
    }
  };
  const days = await context.longReads.compare(actor, () => Promise.all(banks.map(checkAt)));
  return together(days, [], context.now());
}

/** @returns the banks of a kind. @throws ApiError 409 without a test bank, 503 without any other */
export function banksToAsk({ banks }: Pick<AdministrationContext, 'banks'>, test: boolean): readonly Bank[] {
  const found = banksOf({ test, banks: null }, banks.all());
  if (found.length === 0) throw test ? errors.noTestBank() : errors.bankUnavailable('nenhum configurado');
  return found;
}

/** A bank that is configured no more can't be asked: a day on which it had money is not compared without it. */
async function banksOfDay(context: AdministrationContext, day: string, test: boolean) {
  const { db, banks } = context;
  const found = banksToAsk(context, test);
  for (const { id } of await listKnownBanks(db)) {
    if (banks.find(id) || isTestBank(id) !== test) continue;
    const [ours] = await findOurDays(db, id, [day]);
    if (ours) throw errors.bankUnavailable(id);
  }
  return found;
}

/**
 * @param days of the same date, at least one
 * @param missing the banks that were not compared
 */
function together(days: readonly CheckedDay[], missing: readonly string[], now: Date): ComparedDay {
  const [{ day }] = days as [CheckedDay];
  const others = days.map((one) => one.others);
  return {
    day,
    checkedAt: new Date(Math.min(...days.map(({ checkedAt }) => checkedAt.getTime()))),
    isFinal: missing.length === 0 && days.every(({ checkedAt }) => isFinal({ date: day, checkedAt }, now)),
    missing,
    atBank: addFigures(days.map(({ atBank }) => atBank)),
    ours: addFigures(days.map(({ ours }) => ours)),
    others: {
      count: others.reduce((sum, { count }) => sum + count, 0),
      amount: others.reduce((sum, { amount }) => sum + amount, 0),
    },
    differences: days.flatMap(({ differences }) => differences),
  };
}

/** @returns the checked days of a range, each with whether it was over when every bank was asked */
export async function listDays(context: AdministrationContext, range: DayRange) {
  const now = context.now();
  const checked = await listCheckedDays(context.db, range);
  const dates = checked.map(({ date }) => date);
  const missingOf = await banksMissing(context, range, dates);
  return checked.map(({ banks, ...day }) => ({
    ...day,
    isFinal: isFinal(day, now) && missingOf(day.date, banks).length === 0,
  }));
}

/** @returns the last comparison of a day; undefined if no bank was asked */
export async function lastComparison(
  context: AdministrationContext,
  day: string,
  kind: KindFilter,
): Promise<ComparedDay | undefined> {
  const checked = await findCheckedDay(context.db, day, kind);
  if (checked.length === 0) return undefined;
  const missingOf = await banksMissing(context, kind, [day]);
  const asked = checked.map(({ bank }) => bank);
  return together(checked, missingOf(day, asked), context.now());
}

/**
 * @returns a function that finds the banks that one of these days was not compared with: configured ones that were known by
 * then, and any other that had money on it
 */
async function banksMissing(
  { db, banks }: AdministrationContext,
  { bank, test }: Pick<DayRange, 'bank' | 'test'>,
  days: readonly string[],
): Promise<(day: string, asked: readonly string[]) => string[]> {
  const known = (await listKnownBanks(db)).filter(
    ({ id }) => (test ?? isTestBank(id)) === isTestBank(id) && (bank ?? id) === id,
  );
  const gone = new Map<string, readonly string[]>();
  for (const { id } of known) if (!banks.find(id)) gone.set(id, await findOurDays(db, id, days));
  const isPartOf = ({ id, knownSince }: KnownBank, day: string) =>
    gone.get(id)?.includes(day) ?? dayOf(knownSince) <= day;
  return (day, asked) =>
    known.filter((one) => !asked.includes(one.id) && isPartOf(one, day)).map(({ id }) => id);
}

/** @throws ApiError 400 for no day, and for one to come */
export function readPastDay(value: unknown, now: Date): string {
  const date = readDay('date', value);
  if (date > dayOf(now)) throw wrongField('date', rules.notToCome);
  return date;
}

/** @throws ApiError 400 for no day */
export function readDay(name: string, value: unknown): string {
  if (typeof value !== 'string' || !isDay(value)) throw wrongField(name, rules.day);
  return value;
}

/**
 * Orders the refund of an unmatched Pix and asks the bank at once. The scan retries a failed request.
 * @throws ApiError 404 for an unknown Pix; RefundRefused
 */
export async function refundUnmatched(
  context: AdministrationContext,
  order: { endToEndId: string; by: Author },
  log: Log,
): Promise<Refund> {
  const refund = isUnstorable(order.endToEndId) ? undefined : await orderRefundOfUnmatched(context, order);
  if (!refund) throw errors.unmatchedPixNotFound();
  const { endToEndId, by } = order;
  log.info({ refundId: refund.id, endToEndId }, 'a refund of a Pix without a payment was ordered');
  beginRefunds(context, { bank: refund.bank, turnOf: turnOfPerson(by), limit: 1, endToEndId }, log);
  return refund;
}
