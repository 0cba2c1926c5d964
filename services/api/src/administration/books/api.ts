import { listUnmatchedPix } from '@payments/database/charges/unmatched-pix';
import { findStore } from '@payments/database/stores/stores';
import { periods, readStatement } from '@payments/database/totals/statement';
import { groupings, readTotals } from '@payments/database/totals/totals';
import type { Bank } from '@payments/pix/banks';
import { Type } from '@sinclair/typebox';
import { type Actor, authorOf, optionalBody, ownStore, ReasonBody, readKind } from '../../access/actor.ts';
import type { AdministrationContext, AdministrationPlugin } from '../../context.ts';
import { answerOf, conditionsOf, skipValidation } from '../../http/answers.ts';
import { csvAnswerOf, csvFormOf, csvQuery, sendCsv } from '../../http/csv.ts';
import { type Conditions, field, rules, wrongField } from '../../http/errors/api-error.ts';
import { errors } from '../../http/errors/errors.ts';
import { goneSignal } from '../../http/long-reads.ts';
import { ofOrder, ofPage, ofRange, pageQuery, rangeQuery, readPage } from '../../http/readers.ts';
import { bankQuery, ofBank, ofBankFilter } from '../banks/schemas.ts';
import {
  adminAnswersOf,
  notFound,
  ofExport,
  ofKind,
  ofLongRead,
  ofRefundWindow,
  ofStoreFilter,
  refusedRefund,
} from '../conditions.ts';
import { recordExport } from '../record/actions.ts';
import { refundView } from '../refunds/schemas.ts';
import { kindQuery, refTo, Shape, storeParams } from '../shapes.ts';
import {
  banksToAsk,
  compareWithBanks,
  listDays,
  readDay,
  readPastDay,
  readStatementQuery,
  readTotalsQuery,
  refundUnmatched,
  statementCsv,
} from './actions.ts';
import {
  dayQuery,
  reconciliationView,
  statementQuery,
  statementView,
  totalsView,
  unmatchedPixView,
} from './schemas.ts';

const sums = { createdCount: 3, approvedCount: 2, approvedAmount: 250.5 };
const exampleOfTotals = {
  summary: 'One day',
  value: {
    items: [{ day: '2026-11-23', ...sums, feeAmount: 3.76, liquidValue: 246.74, refundedAmount: 20 }],
  },
};

const ofTotals: Conditions = {
  ...ofRange,
  ...ofOrder,
  byUnknown: field('by', rules.oneOf(groupings), '`by` is not a grouping.'),
};

const totals = {
  operationId: 'getTotals',
  summary: 'Sum payments by day, store or status',
  description:
    'What was created, approved and returned in the range, each by its own time. Amounts are those of now: a refund ' +
    'lowers the day of the approval, and counts as returned on its own day. A year of a million payments takes ' +
    'milliseconds. Days are São Paulo’s.',
  tags: ['Totals'],
  querystring: Type.Object({
    ...rangeQuery('what happened'),
    by: Type.Optional(Type.Unsafe({ ...Shape.oneOf(groupings, 'How to group.'), default: 'day' })),
    storeId: Type.Optional(Type.String({ format: 'uuid', description: 'Only this store.' })),
    ...kindQuery,
    ...bankQuery,
  }),
  response: {
    200: answerOf('The totals.', Type.Ref('Totals'), { example: exampleOfTotals }),
    ...adminAnswersOf(ofTotals, ofStoreFilter, ofBankFilter, ofLongRead),
  },
};

const ofStatement: Conditions = {
  fromInvalid: field('from', rules.endOfRange, '`from` is no day.'),
  toInvalid: field('to', rules.endOfRange, '`to` is no day.'),
  ...ofOrder,
  byUnknown: field('by', rules.oneOf(periods), '`by` is not a period.'),
};

const ofStatements = {
  description:
    'What the store has by its approved payments: received, fees and what went back, by day or month in São Paulo. ' +
    'A second Pix and a rejected review never count.',
  tags: ['Totals'],
  params: storeParams,
  querystring: Type.Object(statementQuery),
};

const item = { received: 250.5, fees: 3.76, givenBack: 20, closing: 226.74 };
const exampleOfStatement = {
  summary: 'One day',
  value: { opening: 0, items: [{ period: '2026-11-23', ...item }], closing: 226.74 },
};

const statement = {
  operationId: 'getStatement',
  summary: 'Get a store’s statement',
  ...ofStatements,
  response: {
    200: answerOf('The statement.', Type.Ref('Statement'), { example: exampleOfStatement }),
    ...adminAnswersOf(ofStatement, notFound.store, ofLongRead),
  },
};

const statementAsCsv = {
  operationId: 'exportStatement',
  summary: 'Export a store’s statement as CSV',
  ...ofStatements,
  querystring: Type.Object({ ...statementQuery, ...csvQuery }),
  response: {
    200: csvAnswerOf('The periods of the statement.', Object.keys(statementCsv)),
    ...adminAnswersOf(ofStatement, notFound.store, ofExport),
  },
};

const ofDays: Conditions = {
  dateInvalid: field('date', rules.day, '`date` is missing or no day.'),
  dateToCome: field('date', rules.notToCome, '`date` is to come.'),
  firstDayInvalid: field('from', rules.day, '`from` is missing beside `to`, or no day.'),
  lastDayInvalid: field('to', rules.day, '`to` is missing beside `from`, or no day.'),
  ...ofBank,
  ...ofKind,
};

const reconciliation = {
  operationId: 'reconcileDay',
  summary: 'Compare a day with the bank',
  description:
    'With `date`: asks the bank for the day now and names every difference (conciliação). With `from` and `to`: the ' +
    'days that were checked, each with the number of differences. Yesterday is checked by itself. A day that was ' +
    'checked before it was over is checked again.',
  tags: ['Reconciliation'],
  querystring: Type.Object({
    date: dayQuery('The day to compare, São Paulo’s: `2026-11-23`.'),
    from: dayQuery('The first checked day to list.'),
    to: dayQuery('The last checked day to list.'),
    bank: Type.Optional(Type.String({ description: 'One bank. Without it, all banks together.' })),
    ...kindQuery,
  }),
  response: {
    200: answerOf('The day, or the days that were checked.', Type.Ref('ReconciliationOrDays')),
    ...adminAnswersOf('bankUnavailable', 'noTestBank', ofDays, ofLongRead),
  },
};

const unmatched = {
  operationId: 'listUnmatchedPix',
  summary: 'List unmatched Pix, newest first',
  description:
    'Pix that the bank lists and that fit no payment. The service keeps trying to match them. They stay in this list ' +
    'until they are matched or refunded.',
  tags: ['Refunds'],
  querystring: Type.Object({ ...kindQuery, ...pageQuery('Entries') }),
  response: {
    200: answerOf('A page of unmatched Pix.', Type.Ref('UnmatchedPixList')),
    ...adminAnswersOf(ofPage, ofKind),
  },
};

const params = Type.Object({
  endToEndId: Type.String({ description: 'endToEndId of the unmatched Pix.' }),
});

const ofUnmatchedRefund: Conditions = {
  ...ofRefundWindow,
  nothingLeft: refusedRefund(
    { code: 'nothingOfPix' },
    'All of the Pix has been refunded, or is being refunded.',
  ),
};

const refund = {
  operationId: 'refundUnmatchedPix',
  summary: 'Refund an unmatched Pix',
  description: 'Refunds all that is left of the Pix.',
  tags: ['Refunds'],
  params,
  body: refTo(ReasonBody),
  'x-optional-body': true,
  response: {
    202: answerOf('The refund was ordered and goes to the bank now.', Type.Ref('Refund')),
    ...adminAnswersOf(conditionsOf(ReasonBody), notFound.unmatchedPix, ofUnmatchedRefund),
  },
};

/** Totals, and a store's statement with its CSV. */
export const totalsApi: AdministrationPlugin = async (app, { context }) => {
  const { db, longReads } = context;
  const reading = { config: { may: 'readPayments' as const }, ...skipValidation };
  app.get('/totals', { schema: totals, ...reading }, async ({ actor, query }) => {
    const asked = await readTotalsQuery(context, actor, query);
    const items = await longReads.read(actor, (trx) => readTotals(trx, asked));
    return { items: items.map((one) => totalsView(asked.by, one)) };
  });

  const read = async (actor: Actor, id: string, query: Record<string, unknown>) => {
    const days = readStatementQuery(query);
    const store = await findStore(db, ownStore(actor, id));
    if (!store) throw errors.storeNotFound();
    const found = await longReads.read(actor, (trx) => readStatement(trx, { storeId: store.id, ...days }));
    return { ...found, test: store.test };
  };

  app.get('/stores/:id/statement', { schema: statement, ...reading }, async ({ actor, params, query }) =>
    statementView(await read(actor, params.id, query)),
  );

  const exporting = { schema: statementAsCsv, config: { may: 'exportRows' as const }, ...skipValidation };
  app.get('/stores/:id/statement.csv', exporting, async (request, reply) => {
    const { actor, params, query } = request;
    const form = csvFormOf(query);
    const { items, test } = await read(actor, params.id, query);
    const exported = { actor, query, by: authorOf(request) };
    if (request.method !== 'HEAD')
      await recordExport(context, exported, { kind: 'statement', ofStore: params.id });
    const file = { name: test ? 'statement-TESTE' : 'statement', columns: statementCsv, form };
    return sendCsv(reply, file, async (after) => (after ? [] : items));
  });
};

/** Days beside the banks' (conciliação), at `/admin/reconciliation`. */
export const reconciliationApi: AdministrationPlugin = async (app, { context }) => {
  const reconciling = { config: { may: 'reconcile' as const }, ...skipValidation };
  app.get('/reconciliation', { schema: reconciliation, ...reconciling }, async (request, reply) => {
    const { actor, query, log } = request;
    const isRange = query.date === undefined && (query.from !== undefined || query.to !== undefined);
    const { test = false } = readKind(actor, query);
    if (isRange) return { items: await daysOf(context, { ...query, test }) };
    const day = readPastDay(query.date, context.now());
    const of = query.bank === undefined ? { test } : { bank: bankIn(context, query.bank, test) };
    return reconciliationView(
      await compareWithBanks(context, { day, of, actor, gone: goneSignal(reply) }, log),
    );
  });
};

type DaysQuery = { from?: unknown; to?: unknown; bank?: unknown; test: boolean };

function daysOf(context: AdministrationContext, { from, to, bank, test }: DaysQuery) {
  const range = { from: readDay('from', from), to: readDay('to', to) };
  const one = bank === undefined ? undefined : bankIn(context, bank, test);
  return listDays(context, { ...range, bank: one?.id, test });
}

/** @throws ApiError 400 for a bank that is not one of the kind, 409 or 503 without any */
function bankIn(context: AdministrationContext, id: unknown, test: boolean): Bank {
  const banks = banksToAsk(context, test);
  const bank = banks.find((one) => one.id === id);
  if (!bank) throw wrongField('bank', rules.oneOf(banks.map((one) => one.id)));
  return bank;
}

/** Unmatched Pix and their refund, at `/admin/unmatched-pix`. */
export const unmatchedPixApi: AdministrationPlugin = async (app, { context }) => {
  const listing = { schema: unmatched, config: { may: 'reconcile' as const }, ...skipValidation };
  app.get('/unmatched-pix', listing, async ({ actor, query }) => {
    const page = readPage(query);
    const { items, total } = await listUnmatchedPix(context.db, page, readKind(actor, query));
    return { items: items.map(unmatchedPixView), ...page, total };
  });

  const config = { may: 'refundUnmatched' as const };
  const ordering = { schema: refund, config, preValidation: optionalBody };
  app.post('/unmatched-pix/:endToEndId/refund', ordering, async (request, reply) => {
    const order = { endToEndId: request.params.endToEndId, by: authorOf(request, request.body) };
    return reply.code(202).send(refundView(await refundUnmatched(context, order, request.log)));
  });
};
