import { paymentReadView } from '@payments/domain/payment';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../http/answers.ts';
import { errors } from '../../http/errors/errors.ts';
import { readExamples } from './examples.ts';
import { paymentId } from './schemas.ts';
import { ofStoreRequest, requestIdHeader } from './store-request.ts';

const schema = {
  operationId: 'getPayment',
  'x-limited': true,
  summary: 'Get payment by id',
  description: 'Reads a payment of the store, for example to poll its status.',
  tags: ['Payments'],
  security: [{ bearer: [] }],
  params: Type.Object({ id: paymentId }),
  headers: Type.Object(requestIdHeader),
  response: {
    200: answerOf('The payment.', Type.Ref('Payment'), readExamples),
    ...errorAnswersOf(...ofStoreRequest, 'paymentNotFound'),
  },
};

/** `GET /api-public/payments/{id}`. */
export function getRoute(app: FastifyInstance, context: PublicContext): void {
  app.get('/payments/:id', { schema, config: { readsPayment: true } }, async ({ payment }) => {
    if (!payment) throw errors.paymentNotFound();
    return paymentReadView(payment, context.publicUrl);
  });
}
