import { findPayment } from '@payments/database/payments';
import { isId } from '@payments/domain/identifiers';
import { paymentReadView } from '@payments/domain/payment';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../context.ts';
import { errors } from '../errors/errors.ts';
import { errorAnswersOf } from './schemas.ts';

const schema = {
  operationId: 'getPayment',
  summary: 'Get payment by id',
  tags: ['Payments'],
  security: [{ bearer: [] }],
  params: Type.Object({ id: Type.String({ description: 'Payment identifier.' }) }),
  response: { 200: Type.Ref('Payment'), ...errorAnswersOf(401, 403, 404, 429, 500, 503) },
};

/** `GET /api-public/payments/{id}` (spec 4.2). */
export function getRoute(app: FastifyInstance, context: ApiContext): void {
  app.get<{ Params: { id: string } }>('/payments/:id', { schema }, async (request) => {
    const { id } = request.params;
    const payment = isId(id) ? await findPayment(context.db, id, request.store.id) : undefined;
    if (!payment) throw errors.paymentNotFound();
    return paymentReadView(payment, context.publicUrl);
  });
}
