import { groupings, readTotals, type TotalsQuery } from '@payments/database/totals/totals';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import { readStoreFilter } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { readOneOf } from '../../http/field-values.ts';
import { skipValidation } from '../../http/skip-validation.ts';
import { rangeQuery, readOrderedRange } from '../../http/time-range.ts';
import { bankQuery, ofBank, readBankFilter } from '../banks/bank-filter.ts';
import { adminAnswersOf, ofLongRead, ofStoreId, ofTotals } from '../conditions.ts';
import { oneOf } from '../shapes.ts';
import { totalsView } from './totals-view.ts';

const item = { createdCount: 3, approvedCount: 2, approvedAmount: 250.5 };
const example = {
  summary: 'One day',
  value: {
    items: [{ day: '2026-11-23', ...item, feeAmount: 3.76, liquidValue: 246.74, refundedAmount: 20 }],
  },
};

const schema = {
  operationId: 'getTotals',
  summary: 'Sum payments by day, store or status',
  description:
    'What was created, approved and returned in the range, each by its own time. Amounts are those of now: a refund ' +
    'lowers the day of the approval, and counts as returned on its own day. A year of a million payments takes ' +
    'milliseconds. Days are São Paulo’s.',
  tags: ['Totals'],
  querystring: Type.Object({
    ...rangeQuery('what happened'),
    by: Type.Optional(Type.Unsafe({ ...oneOf(groupings, 'How to group.'), default: 'day' })),
    storeId: Type.Optional(Type.String({ format: 'uuid', description: 'Only this store.' })),
    ...bankQuery,
  }),
  response: {
    200: answerOf('The totals.', Type.Ref('Totals'), { example }),
    ...adminAnswersOf(ofTotals, ofStoreId, ofBank, ofLongRead),
  },
};

/** `GET /admin/totals`. */
export function totalsRoute(app: FastifyInstance, context: AdministrationContext): void {
  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>(
    '/totals',
    { schema, config: { may: 'readPayments' }, ...skipValidation },
    async (request) => {
      const query = readTotalsQuery(context, request.actor, request.query);
      const totals = await context.longReads.read(request.actor, (db) => readTotals(db, query));
      return { items: totals.map((one) => totalsView(query.by, one)) };
    },
  );
}

/** @throws ApiError 400 for the first wrong parameter */
export function readTotalsQuery(
  context: AdministrationContext,
  actor: Actor,
  query: Record<string, unknown>,
): TotalsQuery {
  const { by = 'day' } = query;
  return {
    ...readOrderedRange(query),
    by: readOneOf('by', by, groupings),
    ...readStoreFilter(actor, query),
    ...readBankFilter(context, query),
  };
}
