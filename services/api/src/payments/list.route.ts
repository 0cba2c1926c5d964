import { listPayments } from '@payments/database/payments';
import { paymentReadView } from '@payments/domain/payment';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../context.ts';
import { readListQuery } from './list-query.ts';
import { errorAnswersOf } from './schemas.ts';

const schema = {
  operationId: 'listPayments',
  summary: 'List payments of the store',
  description: 'Newest first.',
  tags: ['Payments'],
  security: [{ bearer: [] }],
  querystring: Type.Object({
    page: Type.Optional(Type.Integer({ minimum: 1, default: 1 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
    status: Type.Optional(Type.Ref('PaymentStatus')),
  }),
  response: { 200: Type.Ref('PaymentList'), ...errorAnswersOf(400, 401, 403, 429, 500, 503) },
};

/** `GET /api-public/payments` (spec 4.3). */
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
