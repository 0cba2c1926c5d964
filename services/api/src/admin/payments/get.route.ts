import { may } from '@payments/domain/roles';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { ownPayment } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { errors } from '../../errors/errors.ts';
import { adminAnswersOf, notFound } from '../conditions.ts';
import { type IdParams, paymentParams } from '../parameters.ts';
import { paymentDetail } from './payment-detail.ts';

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
export function getRoute(app: FastifyInstance, { db, publicUrl }: ApiContext): void {
  app.get<{ Params: IdParams }>(
    '/payments/:id',
    { schema, config: { may: 'readPayments' } },
    async (request) => {
      const id = await ownPayment(db, request.actor, request.params.id);
      const detail = await paymentDetail(db, id, publicUrl);
      if (!detail) throw errors.paymentNotFound();
      return may(request.actor.role, 'readStoreRecord') ? detail : { ...detail, changes: [] };
    },
  );
}
