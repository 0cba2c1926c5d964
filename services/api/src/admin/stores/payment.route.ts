import { paymentView } from '@payments/domain/payment';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { readIdempotencyKey } from '../../payments/idempotency-key.ts';
import { errorAnswersOf } from '../../payments/schemas.ts';
import { authorHeaders, authorOf } from '../author.ts';
import { type IdParams, idParams } from '../parameters.ts';
import { chargeForStore } from './charge-for-store.ts';

const schema = {
  operationId: 'createPaymentOfStore',
  summary: 'Create a payment for a store, as an administrator',
  description: 'As the public creation; `isPublic` is false.',
  tags: ['Payments'],
  security: [{ bearer: [] }],
  params: idParams,
  headers: authorHeaders,
  body: Type.Ref('CreatePayment'),
  response: { 200: Type.Ref('CreatedPayment'), ...errorAnswersOf(400, 401, 403, 404, 422, 500, 503) },
};

/** `POST /admin/stores/{id}/payments` (design 6). */
export function paymentOfStoreRoute(app: FastifyInstance, context: ApiContext): void {
  // Judged by the same function as the public creation, not by the schema.
  const validatorCompiler = () => () => true;
  app.post<{ Params: IdParams }>('/stores/:id/payments', { schema, validatorCompiler }, async (request) => {
    const payment = await chargeForStore(context, {
      storeId: request.params.id,
      body: request.body,
      idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
      by: authorOf(request),
      requestId: request.id,
      log: request.log,
    });
    return paymentView(payment, context.publicUrl);
  });
}
