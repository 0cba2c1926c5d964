import { paymentView } from '@payments/domain/payment';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../context.ts';
import { answerOf, errorAnswersOf } from '../docs/answers.ts';
import { createPayment } from './create-payment.ts';
import { createdExamples, requestExamples } from './examples.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { readPaymentRequest } from './new-payment.ts';
import { ofCreation, ofStoreRequest, requestIdHeader } from './store-request.ts';

const schema = {
  operationId: 'createPayment',
  summary: 'Create payment',
  description:
    'Creates a payment for the store of the token; it waits for the customer in status `pending`. With `webhookUrl`, ' +
    'the event `payment.created` is sent to it. When the bank does not answer in time the payment is created all the ' +
    'same, with `qrCodeUrl` and `qrCopyPaste` null, and reads show them as soon as the charge is registered.',
  tags: ['Payments'],
  security: [{ bearer: [] }],
  headers: Type.Object({
    'Idempotency-Key': Type.Optional(
      Type.String({
        maxLength: 255,
        description:
          'Makes repeats safe: for 24 hours the same key and body give the same payment. With another body, 422.',
        examples: ['pedido-1042'],
      }),
    ),
    ...requestIdHeader,
  }),
  body: Type.Ref('CreatePayment'),
  'x-request-examples': requestExamples,
  response: {
    200: answerOf('The payment was created.', Type.Ref('CreatedPayment'), createdExamples),
    ...errorAnswersOf(...ofStoreRequest, ...ofCreation),
  },
};

/** `POST /api-public/payments`. */
export function createRoute(app: FastifyInstance, context: ApiContext): void {
  app.post('/payments', { schema }, async (request) => {
    const { store } = request;
    const paymentRequest = readPaymentRequest(request.body, {
      maxAmount: store.maxAmount,
      webhooks: context.webhooks,
    });
    const creation = {
      store,
      request: paymentRequest,
      by: null,
      idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
      requestId: request.id,
      log: request.log,
    };
    const payment = await context.countCreation(() => createPayment(context, creation));
    request.log.info({ paymentId: payment.id, storeId: store.id }, 'payment created');
    return paymentView(payment, context.publicUrl);
  });
}
