import { type RefundFilter, readRefundsAfter } from '@payments/database/refunds/list';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { Actor } from '../../authentication/actor.ts';
import type { ApiContext } from '../../context.ts';
import { sendCsv } from '../../csv/send-csv.ts';
import { csvAnswerOf } from '../../docs/csv-answer.ts';
import { readOneOf } from '../../field-values.ts';
import { skipValidation } from '../../skip-validation.ts';
import { ofRange } from '../../time-range.ts';
import { authorOf } from '../author.ts';
import { ofBank } from '../bank-filter.ts';
import { recordExport } from '../changes/record-reading.ts';
import { adminAnswersOf, ofAnyRefundState, ofStoreId } from '../conditions.ts';
import { oneOf } from '../shapes.ts';
import { refundCsv, refundStates } from './refund-csv.ts';
import { readRefundFilter, refundQuery } from './refund-filter.ts';

const limit = 1_000;

const schema = {
  operationId: 'exportRefunds',
  summary: 'Export refunds as CSV, newest first',
  description: 'Refunds of all states, also made ones, ours and the banks’ (MED), streamed.',
  tags: ['Refunds'],
  querystring: Type.Object({
    ...refundQuery,
    state: Type.Optional(oneOf(refundStates, 'Only refunds in this state.')),
  }),
  response: {
    200: csvAnswerOf('The refunds found; amounts in BRL, like `1234.50`.', Object.keys(refundCsv)),
    ...adminAnswersOf(ofStoreId, ofAnyRefundState, ofBank, ofRange),
  },
};

/** `GET /admin/refunds.csv`. */
export function exportRoute(app: FastifyInstance, context: ApiContext): void {
  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>(
    '/refunds.csv',
    { schema, config: { may: 'exportRows' }, ...skipValidation },
    async (request, reply) => {
      const { actor, query } = request;
      const search = readRefundSearch(context, actor, query);
      await recordExport(context, { actor, query, by: authorOf(request) }, { kind: 'refunds' });
      const columns = { name: 'refunds', columns: refundCsv };
      return sendCsv(reply, columns, (after) => readRefundsAfter(context.db, search, { after, limit }));
    },
  );
}

/** @throws ApiError 400 for the first wrong parameter */
export function readRefundSearch(
  context: ApiContext,
  actor: Actor,
  query: Record<string, unknown>,
): RefundFilter {
  const { state } = query;
  return {
    ...readRefundFilter(context, actor, query),
    ...(state === undefined ? {} : { state: readOneOf('state', state, refundStates) }),
  };
}
