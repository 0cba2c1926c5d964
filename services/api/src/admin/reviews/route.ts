import { listReviews } from '@payments/database/reviews';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { readId, readPage } from '../../field-values.ts';
import { errorAnswersOf } from '../../payments/schemas.ts';
import { pageQuery } from '../parameters.ts';
import { reviewView } from './review-view.ts';

const schema = {
  operationId: 'listReviews',
  summary: 'Payments that wait for a decision, longest first',
  description:
    'What is in review at its `deadline` is refunded by itself. Decide with `POST /admin/payments/{id}/status`.',
  tags: ['Payments'],
  security: [{ bearer: [] }],
  querystring: Type.Object({ storeId: Type.Optional(Type.String({ format: 'uuid' })), ...pageQuery }),
  response: { 200: Type.Ref('ReviewList'), ...errorAnswersOf(400, 401, 500, 503) },
};

/** `GET /admin/reviews`. */
export async function reviewRoute(app: FastifyInstance, { context }: { context: ApiContext }): Promise<void> {
  const validatorCompiler = () => () => true;
  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>('/reviews', { schema, validatorCompiler }, async (request) => {
    const page = readPage(request.query);
    const { storeId } = request.query;
    const filter = storeId === undefined ? {} : { storeId: readId('storeId', storeId) };
    const { items, total } = await listReviews(context.db, filter, page);
    return { items: items.map((review) => reviewView(review, context)), ...page, total };
  });
}
