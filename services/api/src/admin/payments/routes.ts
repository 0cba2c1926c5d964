import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { findPayment } from '@payments/database/payments';
import { paymentReadView } from '@payments/domain/payment';
import { paymentStatuses } from '@payments/domain/status';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';
import { errorAnswersOf } from '../../payments/schemas.ts';
import { authorHeaders, authorOf, reasonField } from '../author.ts';
import { idOr, idParams } from '../parameters.ts';
import { movePayment } from './move-payment.ts';
import { paymentDetail } from './payment-detail.ts';
import { paymentSearchRoute } from './search.route.ts';

const tags = ['Payments'];
const security = [{ bearer: [] }];

export const StatusBody = Type.Object({
  status: Type.Union(paymentStatuses.map((status) => Type.Literal(status))),
  reason: reasonField,
});

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
    params: idParams,
    response: { 200: Type.Ref('PaymentDetail'), ...errorAnswersOf(401, 404, 500, 503) },
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
    params: idParams,
    headers: authorHeaders,
    body: StatusBody,
    response: { 200: Type.Ref('Payment'), ...errorAnswersOf(400, 401, 404, 409, 500, 503) },
  };
  routes.post('/payments/:id/status', { schema: move }, async (request) => {
    const { status: to } = request.body;
    const { id: paymentId } = request.params;
    const decision = { paymentId, to, by: authorOf(request, request.body) };
    const payment = await movePayment(context, decision, request.log);
    return paymentReadView(payment, context.publicUrl);
  });
}
