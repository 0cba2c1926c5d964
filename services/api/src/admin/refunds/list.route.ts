import { listRefundsNotMade } from '@payments/database/refunds/not-made';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../docs/answers.ts';
import { readId, readOneOf, readPage } from '../../field-values.ts';
import { skipValidation } from '../../skip-validation.ts';
import { bankQuery, ofBank, readBankFilter } from '../bank-filter.ts';
import { ofAdministrator, ofKey, ofPage, ofRefundState, ofStoreId } from '../conditions.ts';
import { pageQuery } from '../parameters.ts';
import { oneOf } from '../shapes.ts';
import { refundView } from './refund-view.ts';

const notMade = ['requested', 'processing', 'failed'] as const;

const schema = {
  operationId: 'listRefundsNotMade',
  summary: 'List unfinished and failed refunds, newest first',
  description:
    'A refund with `isOwed` waits for a person: the bank refused it, and the account still holds the money.',
  tags: ['Refunds'],
  security: [{ bearer: [] }],
  querystring: Type.Object({
    storeId: Type.Optional(Type.String({ format: 'uuid', description: 'Only refunds of this store.' })),
    state: Type.Optional(oneOf(notMade, 'Only refunds in this state.')),
    ...bankQuery,
    ...pageQuery,
  }),
  response: {
    200: answerOf('A page of refunds.', Type.Ref('RefundList')),
    ...errorAnswersOf(...ofAdministrator, ofKey, ...ofPage, ofStoreId, ofRefundState, ofBank),
  },
};

/** `GET /admin/refunds`. */
export function listRoute(app: FastifyInstance, context: ApiContext): void {
  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>('/refunds', { schema, ...skipValidation }, async (request) => {
    const page = readPage(request.query);
    const { storeId, state } = request.query;
    const filter = {
      ...(storeId === undefined ? {} : { storeId: readId('storeId', storeId) }),
      ...(state === undefined ? {} : { state: readOneOf('state', state, notMade) }),
      ...readBankFilter(context, request.query),
    };
    const { items, total } = await listRefundsNotMade(context.db, filter, page);
    return {
      items: items.map((refund) => ({ ...refundView(refund), storeId: refund.storeId })),
      ...page,
      total,
    };
  });
}
