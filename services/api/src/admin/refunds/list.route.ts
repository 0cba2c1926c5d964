import { listRefundsFound } from '@payments/database/refunds/list';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { readOneOf, readPage } from '../../field-values.ts';
import { skipValidation } from '../../skip-validation.ts';
import { ofRange } from '../../time-range.ts';
import { ofBank } from '../bank-filter.ts';
import { adminAnswersOf, ofPage, ofRefundState, ofStoreId } from '../conditions.ts';
import { pageQuery } from '../parameters.ts';
import { oneOf } from '../shapes.ts';
import { readRefundFilter, refundQuery } from './refund-filter.ts';
import { refundView } from './refund-view.ts';

const notMade = ['requested', 'processing', 'failed'] as const;

const schema = {
  operationId: 'listRefundsNotMade',
  summary: 'List unfinished and failed refunds, newest first',
  description:
    'A refund with `isOwed` waits for a person: the bank refused it, and the account still holds the money.',
  tags: ['Refunds'],
  querystring: Type.Object({
    ...refundQuery,
    state: Type.Optional(oneOf(notMade, 'Only refunds in this state.')),
    ...pageQuery,
  }),
  response: {
    200: answerOf('A page of refunds.', Type.Ref('RefundList')),
    ...adminAnswersOf(...ofPage, ofStoreId, ofRefundState, ofBank, ofRange),
  },
};

/** `GET /admin/refunds`. */
export function listRoute(app: FastifyInstance, context: ApiContext): void {
  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>(
    '/refunds',
    { schema, config: { may: 'readPayments' }, ...skipValidation },
    async (request) => {
      const page = readPage(request.query);
      const { state } = request.query;
      const filter = {
        isNotMade: true as const,
        ...readRefundFilter(context, request.actor, request.query),
        ...(state === undefined ? {} : { state: readOneOf('state', state, notMade) }),
      };
      const { items, total } = await listRefundsFound(context.db, filter, page);
      return {
        items: items.map((refund) => ({ ...refundView(refund), storeId: refund.storeId })),
        ...page,
        total,
      };
    },
  );
}
