import { listPayments } from '@payments/database/payments/list';
import { paymentReadView } from '@payments/domain/payment';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../context.ts';
import { answerOf, errorAnswersOf } from '../docs/answers.ts';
import { listExamples } from './examples.ts';
import { readListQuery } from './list-query.ts';
import { ofStoreRequest, requestIdHeader } from './store-request.ts';

const schema = {
  operationId: 'listPayments',
  summary: 'List payments of the store',
  description:
    'Lists the payments of the store in pages, newest first. `total` counts all matching payments.',
  tags: ['Payments'],
  security: [{ bearer: [] }],
  querystring: Type.Object({
    page: Type.Optional(
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1, description: 'Page number.' }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Payments per page.' }),
    ),
    status: Type.Optional(Type.Ref('PaymentStatus')),
    after: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          'Id of a payment. The list then begins with the payment after it, even if payments are created ' +
          'meanwhile. The list is empty for an unknown payment or another store’s.',
      }),
    ),
  }),
  headers: Type.Object(requestIdHeader),
  response: {
    200: answerOf('A page of payments.', Type.Ref('PaymentList'), listExamples),
    ...errorAnswersOf(
      ...ofStoreRequest,
      'pageNotAnInteger',
      'pageTooLow',
      'limitNotAnInteger',
      'limitTooLow',
      'limitTooHigh',
      'statusUnknown',
      'afterNotAnId',
    ),
  },
};

/** `GET /api-public/payments`. */
export function listRoute(app: FastifyInstance, context: ApiContext): void {
  app.get<{ Querystring: Record<string, unknown> }>('/payments', { schema }, async (request) => {
    const { page, limit, ...filter } = readListQuery(request.query);
    const { items, total } = await listPayments(
      context.db,
      { storeId: request.store.id, ...filter },
      { page, limit },
    );
    return { items: items.map((payment) => paymentReadView(payment, context.publicUrl)), page, limit, total };
  });
}
