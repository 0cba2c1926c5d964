import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { findPayment } from '@payments/database/payments';
import { paymentReadView } from '@payments/domain/payment';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../docs/answers.ts';
import { errors } from '../../errors/errors.ts';
import { authorHeaders, authorOf } from '../author.ts';
import { notFound, ofAdministrator, ofChange, ofKey, ofStatus, ofTransition } from '../conditions.ts';
import { idOr, paymentParams } from '../parameters.ts';
import { refTo } from '../schemas.ts';
import { movePayment } from './move-payment.ts';
import { paymentDetail } from './payment-detail.ts';
import { StatusBody } from './schemas.ts';
import { paymentSearchRoute } from './search.route.ts';

const tags = ['Payments'];
const security = [{ bearer: [] }];

/** Payments as those who run the service see and move them (design 6). */
export async function adminPaymentRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  paymentSearchRoute(app, context);

  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  const get = {
    operationId: 'getPaymentDetail',
    summary: 'A payment with its events, Pix, refunds and deliveries',
    tags,
    security,
    description: 'Everything that is known of it.',
    params: paymentParams,
    response: {
      200: answerOf('The payment.', Type.Ref('PaymentDetail')),
      ...errorAnswersOf(...ofAdministrator, ofKey, notFound.payment),
    },
  };
  routes.get('/payments/:id', { schema: get }, async (request) => {
    const payment = await findPayment(context.db, idOr(errors.paymentNotFound, request.params.id));
    if (!payment) throw errors.paymentNotFound();
    return paymentDetail(context.db, payment, context.publicUrl);
  });

  const move = {
    operationId: 'changePaymentStatus',
    summary: 'Move a payment to another status, where that is allowed',
    tags,
    security,
    description:
      'A review is approved, or rejected, which refunds what was received; a pending payment is cancelled; an approved ' +
      'one goes through the internal statuses. Its event is sent like any other.',
    params: paymentParams,
    headers: authorHeaders,
    body: refTo(StatusBody),
    response: {
      200: answerOf('The payment as it is now.', Type.Ref('Payment')),
      ...errorAnswersOf(...ofAdministrator, ofKey, ofChange, ofStatus, notFound.payment, ofTransition),
    },
  };
  routes.post('/payments/:id/status', { schema: move }, async (request) => {
    const { status: to } = request.body;
    const { id: paymentId } = request.params;
    const decision = { paymentId, to, by: authorOf(request, request.body) };
    const payment = await movePayment(context, decision, request.log);
    return paymentReadView(payment, context.publicUrl);
  });
}
