import { type DayRange, listCheckedDays } from '@payments/database/reconciliation/checked-days';
import { dayOf, isDay } from '@payments/domain/days';
import type { Bank } from '@payments/pix/banks';
import { isFinal } from '@payments/settlement/days/check-day';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { type Conditions, field, wrongField } from '../../http/errors/condition.ts';
import { rules } from '../../http/errors/field-rules.ts';
import { skipValidation } from '../../http/skip-validation.ts';
import { ofBank, readBank } from '../banks/bank-filter.ts';
import { adminAnswersOf, ofLongRead } from '../conditions.ts';
import { compareDayAt } from './check.ts';
import { reconciliationView } from './reconciliation-view.ts';

const day = (description: string) => Type.Optional(Type.String({ format: 'date', description }));

const conditions: Conditions = {
  dateInvalid: field('date', rules.day, '`date` is missing or no day.'),
  dateToCome: field('date', rules.notToCome, '`date` is to come.'),
  firstDayInvalid: field('from', rules.day, '`from` is missing beside `to`, or no day.'),
  lastDayInvalid: field('to', rules.day, '`to` is missing beside `from`, or no day.'),
  ...ofBank,
};

const schema = {
  operationId: 'reconcileDay',
  summary: 'Compare a day with the bank',
  description:
    'With `date`: asks the bank for the day now and names every difference (conciliação). With `from` and `to`: the ' +
    'days that were checked, each with the number of differences. Yesterday is checked by itself. A day that was ' +
    'checked before it was over is checked again.',
  tags: ['Reconciliation'],
  querystring: Type.Object({
    date: day('The day to compare, São Paulo’s: `2026-11-23`.'),
    from: day('The first checked day to list.'),
    to: day('The last checked day to list.'),
    bank: Type.Optional(Type.String({ description: 'One bank. Without it, all banks together.' })),
  }),
  response: {
    200: answerOf('The day, or the days that were checked.', Type.Ref('ReconciliationOrDays')),
    ...adminAnswersOf('bankUnavailable', conditions, ofLongRead),
  },
};

type Query = { date?: unknown; from?: unknown; to?: unknown; bank?: unknown };

/** `GET /admin/reconciliation`. */
export function reconciliationRoute(app: FastifyInstance, context: AdministrationContext): void {
  type Route = { Querystring: Query };
  app.get<Route>(
    '/reconciliation',
    { schema, config: { may: 'reconcile' }, ...skipValidation },
    async (request, reply) => {
      const { query } = request;
      const isRange = query.date === undefined && (query.from !== undefined || query.to !== undefined);
      if (isRange) return { items: await daysOf(context, query) };
      const date = readPastDay(query.date, context.now());
      const banks = readBanks(context, query.bank);
      return reconciliationView(await compareDayAt(context, { day: date, banks, request, reply }));
    },
  );
}

/** @returns the checked days of a range, each with whether it was over when it was checked */
export async function listDays({ db, now }: AdministrationContext, range: DayRange) {
  const checked = await listCheckedDays(db, range);
  return checked.map((day) => ({ ...day, isFinal: isFinal(day, now()) }));
}

function daysOf(context: AdministrationContext, { from, to, bank }: Query) {
  const range = { from: readDay('from', from), to: readDay('to', to) };
  const [one] = bank === undefined ? [] : readBanks(context, bank);
  return listDays(context, { ...range, bank: one?.id });
}

/** @throws ApiError 400 for no day, and for one to come */
export function readPastDay(value: unknown, now: Date): string {
  const date = readDay('date', value);
  if (date > dayOf(now)) throw wrongField('date', rules.notToCome);
  return date;
}

function readDay(name: string, value: unknown): string {
  if (typeof value !== 'string' || !isDay(value)) throw wrongField(name, rules.day);
  return value;
}

function readBanks(context: AdministrationContext, id: unknown): readonly Bank[] {
  return id === undefined ? context.banks.all() : [readBank(context, id)];
}
