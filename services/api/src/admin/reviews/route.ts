import { listReviews } from '@payments/database/payments/reviews';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { readStoreFilter } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { readPage } from '../../field-values.ts';
import { skipValidation } from '../../skip-validation.ts';
import { adminAnswersOf, ofPage, ofStoreId } from '../conditions.ts';
import { pageQuery } from '../parameters.ts';
import { reviewView } from './review-view.ts';

const schema = {
  operationId: 'listReviews',
  summary: 'List payments in review, longest waiting first',
  description:
    'The service refunds a payment that is still in review at its `deadline`. Decide with `POST /admin/payments/{id}/status`.',
  tags: ['Payments'],
  querystring: Type.Object({
    storeId: Type.Optional(Type.String({ format: 'uuid', description: 'Only payments of this store.' })),
    ...pageQuery,
  }),
  response: {
    200: answerOf('A page of payments in review.', Type.Ref('ReviewList')),
    ...adminAnswersOf(...ofPage, ofStoreId),
  },
};

/** `GET /admin/reviews`. */
export function reviewRoute(app: FastifyInstance, context: ApiContext): void {
  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>(
    '/reviews',
    { schema, config: { may: 'readPayments' }, ...skipValidation },
    async (request) => {
      const page = readPage(request.query);
      const filter = readStoreFilter(request.actor, request.query);
      const { items, total } = await listReviews(context.db, filter, page);
      return { items: items.map((review) => reviewView(review, context)), ...page, total };
    },
  );
}
