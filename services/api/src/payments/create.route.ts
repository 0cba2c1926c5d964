import { paymentView } from '@payments/domain/payment';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../context.ts';
import { createPayment } from './create-payment.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { readPaymentRequest } from './new-payment.ts';
import { errorAnswersOf } from './schemas.ts';

const schema = {
  operationId: 'createPayment',
  summary: 'Create payment',
  tags: ['Payments'],
  security: [{ bearer: [] }],
  headers: Type.Object({
    'idempotency-key': Type.Optional(
      Type.String({
        maxLength: 255,
        description: 'Repeats with the same key and body give the same payment.',
      }),
    ),
  }),
  body: Type.Ref('CreatePayment'),
  response: {
    200: Type.Ref('CreatedPayment'),
    ...errorAnswersOf(400, 401, 403, 413, 415, 422, 429, 500, 503),
  },
};

/** `POST /api-public/payments` (spec 4.1). */
export function createRoute(app: FastifyInstance, context: ApiContext): void {
  app.post('/payments', { schema }, async (request) => {
    const { store } = request;
    const paymentRequest = readPaymentRequest(request.body, {
      maxAmount: store.maxAmount,
      webhooks: context.webhooks,
    });
    const payment = await createPayment(context, {
      store,
      request: paymentRequest,
      isPublic: true,
      idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
      requestId: request.id,
      log: request.log,
    });
    request.log.info({ paymentId: payment.id, storeId: store.id }, 'payment created');
    return paymentView(payment, context.publicUrl);
  });
}
