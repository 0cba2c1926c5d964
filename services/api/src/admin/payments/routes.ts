import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { findPayment } from '@payments/database/payments';
import { isId } from '@payments/domain/identifiers';
import { paymentReadView } from '@payments/domain/payment';
import { paymentStatuses } from '@payments/domain/status';
import { decide } from '@payments/settlement/decide';
import { carryOutRefunds } from '@payments/settlement/refund';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';
import { readText } from '../../field-values.ts';
import { errorAnswersOf } from '../../payments/schemas.ts';
import { idOr, idParams } from '../parameters.ts';
import { paymentDetail } from './payment-detail.ts';

const tags = ['Payments'];
const security = [{ bearer: [] }];
const refundsAtOnce = 10;

const StatusBody = Type.Object({
  status: Type.Union(paymentStatuses.map((status) => Type.Literal(status))),
  reason: Type.Optional(Type.Union([Type.String({ maxLength: 2_000 }), Type.Null()])),
});

/** Payments as those who run the service see and move them (design 6). */
export async function adminPaymentRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
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
    body: StatusBody,
    response: { 200: Type.Ref('Payment'), ...errorAnswersOf(400, 401, 404, 409, 500, 503) },
  };
  routes.post('/payments/:id/status', { schema: move }, async (request) => {
    const { status: to, reason: given = null } = request.body;
    const { id: paymentId } = request.params;
    const reason = given === null ? null : readText('reason', given);
    const decision = { paymentId, to, reason, requestId: request.id };
    const payment = isId(paymentId) ? await decide(context, decision) : undefined;
    if (!payment) throw errors.paymentNotFound();
    context.wakeRelay();
    carryOutRefunds(context, { limit: refundsAtOnce, paymentId }).catch((error: unknown) =>
      request.log.warn({ err: error }, 'refunds are left to the scan'),
    );
    return paymentReadView(payment, context.publicUrl);
  });
}
