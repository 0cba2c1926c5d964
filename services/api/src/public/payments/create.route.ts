import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../http/answers.ts';
import { createPayment } from './create-payment.ts';
import { createdExamples, requestExamples } from './examples.ts';
import { hashOfKey, readIdempotencyKey } from './idempotency-key.ts';
import { readCreation } from './read-creation.ts';
import { ofCreation, ofStoreRequest, requestIdHeader } from './store-request.ts';

const schema = {
  operationId: 'createPayment',
  'x-limited': true,
  summary: 'Create payment',
  description:
    'Creates a `pending` payment for the token’s store. If it has a `webhookUrl`, the service sends `payment.created` ' +
    'there. If the bank does not respond in time, `qrCodeUrl` and `qrCopyPaste` are null. Read the payment again: ' +
    'they appear as soon as the bank has registered the charge.',
  tags: ['Payments'],
  security: [{ bearer: [] }],
  headers: Type.Object({
    'Idempotency-Key': Type.Optional(
      Type.String({
        maxLength: 255,
        pattern: '\\S',
        description:
          'Makes retries safe: for 24 hours the same key and body return the same payment. Another body is a 422.',
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
export function createRoute(app: FastifyInstance, context: PublicContext): void {
  app.post('/payments', { schema }, async (request) => {
    const { store, pausedBanks } = request;
    const key = request.headers['idempotency-key'];
    const { id: storeId, maxAmount } = store;
    const given = { body: request.body, storeId, maxAmount, isPublic: true, keyHash: hashOfKey(key) };
    const paymentRequest = await readCreation(context, given);
    const creation = {
      store,
      pausedBanks,
      request: paymentRequest,
      by: null,
      idempotencyKey: readIdempotencyKey(key),
      requestId: request.id,
      log: request.log,
    };
    const payment = await createPayment(context, creation);
    request.log.debug({ paymentId: payment.id, storeId: store.id }, 'payment created');
    return payment;
  });
}
