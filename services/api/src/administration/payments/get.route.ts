import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { adminAnswersOf, notFound } from '../conditions.ts';
import { type IdParams, paymentParams } from '../parameters.ts';
import { paymentDetail, pictureOf } from './picture.ts';

const schema = {
  operationId: 'getPaymentDetail',
  summary: 'Get a payment with its history',
  tags: ['Payments'],
  description: 'The payment with its events, Pix, refunds, changes and deliveries.',
  params: paymentParams,
  response: {
    200: answerOf('The payment.', Type.Ref('PaymentDetail')),
    ...adminAnswersOf(notFound.payment),
  },
};

/** `GET /admin/payments/{id}`. */
export function getRoute(app: FastifyInstance, context: AdministrationContext): void {
  app.get<{ Params: IdParams }>(
    '/payments/:id',
    { schema, config: { may: 'readPayments' } },
    async ({ actor, params }) => paymentDetail(await pictureOf(context, actor, params.id), context.publicUrl),
  );
}
