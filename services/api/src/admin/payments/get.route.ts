import { findPayment } from '@payments/database/payments/payments';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../docs/answers.ts';
import { errors } from '../../errors/errors.ts';
import { notFound, ofAdministrator, ofKey } from '../conditions.ts';
import { type IdParams, idOr, paymentParams } from '../parameters.ts';
import { paymentDetail } from './payment-detail.ts';

const schema = {
  operationId: 'getPaymentDetail',
  summary: 'Get a payment with its history',
  tags: ['Payments'],
  security: [{ bearer: [] }],
  description: 'The payment with its events, Pix, refunds, changes and deliveries.',
  params: paymentParams,
  response: {
    200: answerOf('The payment.', Type.Ref('PaymentDetail')),
    ...errorAnswersOf(...ofAdministrator, ofKey, notFound.payment),
  },
};

/** `GET /admin/payments/{id}`. */
export function getRoute(app: FastifyInstance, { db, publicUrl }: ApiContext): void {
  app.get<{ Params: IdParams }>('/payments/:id', { schema }, async (request) => {
    const payment = await findPayment(db, idOr(errors.paymentNotFound, request.params.id));
    if (!payment) throw errors.paymentNotFound();
    return paymentDetail(db, payment, publicUrl);
  });
}
