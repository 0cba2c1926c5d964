import { paymentReadView } from '@payments/domain/payment';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { authorOf } from '../../access/author.ts';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { adminAnswersOf, notFound, ofChange, ofStatus, ofTransition } from '../conditions.ts';
import { type IdParams, paymentParams } from '../parameters.ts';
import { refTo } from '../schemas.ts';
import { movePayment } from './move-payment.ts';
import { StatusBody } from './schemas.ts';

const schema = {
  operationId: 'changePaymentStatus',
  summary: 'Change a payment’s status',
  tags: ['Payments'],
  description:
    'Approves or rejects a review, cancels a pending payment, or moves an approved one through the internal ' +
    'statuses. Rejecting a review refunds the received money. The change sends an event like any other.',
  params: paymentParams,
  body: refTo(StatusBody),
  response: {
    200: answerOf('The payment after the change.', Type.Ref('Payment')),
    ...adminAnswersOf(ofChange, ofStatus, notFound.payment, ofTransition),
  },
};

/** `POST /admin/payments/{id}/status`. */
export function moveRoute(app: FastifyInstance, context: AdministrationContext): void {
  type Move = { Params: IdParams; Body: Static<typeof StatusBody> };
  app.post<Move>('/payments/:id/status', { schema, config: { may: 'changeStatus' } }, async (request) => {
    const { status: to } = request.body;
    const { id: paymentId } = request.params;
    const decision = { paymentId, to, by: authorOf(request, request.body) };
    const payment = await movePayment(context, decision, request.log);
    return paymentReadView(payment, context.publicUrl);
  });
}
