import { findStore } from '@payments/database/stores';
import { paymentView } from '@payments/domain/payment';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';
import { createPayment } from '../../payments/create-payment.ts';
import { readIdempotencyKey } from '../../payments/idempotency-key.ts';
import { readPaymentRequest } from '../../payments/new-payment.ts';
import { errorAnswersOf } from '../../payments/schemas.ts';
import { type IdParams, idOr, idParams } from '../parameters.ts';

const schema = {
  operationId: 'createPaymentOfStore',
  summary: 'Create a payment for a store, as an administrator',
  description: 'As the public creation; `isPublic` is false.',
  tags: ['Payments'],
  security: [{ bearer: [] }],
  params: idParams,
  body: Type.Ref('CreatePayment'),
  response: { 200: Type.Ref('CreatedPayment'), ...errorAnswersOf(400, 401, 403, 404, 422, 500, 503) },
};

/** `POST /admin/stores/{id}/payments` (design 6). */
export function paymentOfStoreRoute(app: FastifyInstance, context: ApiContext): void {
  // Judged by the same function as the public creation, not by the schema.
  const validatorCompiler = () => () => true;
  app.post<{ Params: IdParams }>('/stores/:id/payments', { schema, validatorCompiler }, async (request) => {
    const store = await findStore(context.db, idOr(errors.storeNotFound, request.params.id));
    if (!store) throw errors.storeNotFound();
    if (!store.active) throw errors.storeInactive();
    const payment = await createPayment(context, {
      store,
      request: readPaymentRequest(request.body, { maxAmount: store.maxAmount, webhooks: context.webhooks }),
      isPublic: false,
      idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
      requestId: request.id,
      log: request.log,
    });
    return paymentView(payment, context.publicUrl);
  });
}
