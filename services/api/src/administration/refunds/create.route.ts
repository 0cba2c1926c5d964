import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { authorOf, optionalBody } from '../../access/author.ts';
import { ownPayment } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { readIdempotencyKey } from '../../public/payments/idempotency-key.ts';
import { adminAnswersOf, notFound, ofChange, ofRefund, ofRefundAmount } from '../conditions.ts';
import { type IdParams, paymentParams } from '../parameters.ts';
import { refTo } from '../schemas.ts';
import { refundPayment } from './refund-payment.ts';
import { refundView } from './refund-view.ts';
import { RefundBody } from './schemas.ts';

const schema = {
  operationId: 'refundPayment',
  summary: 'Refund a payment, in full or in part',
  description:
    'Refunds an approved or paid payment, at most by what is left of it. A partial refund lowers `amount`. When the ' +
    'bank has refunded all of it, the payment becomes `not_approved`. An `amount` goes back as ordered or not at all: ' +
    'if the bank has taken a part meanwhile (MED) and it fits no more, the refund is `failed` for good. Without ' +
    '`amount`, what is left then goes back. The bank refunds a Pix for 90 days.',
  tags: ['Refunds'],
  params: paymentParams,
  headers: Type.Object({
    'Idempotency-Key': Type.Optional(
      Type.String({
        maxLength: 255,
        pattern: '\\S',
        description: 'Makes retries safe: the same key and body order one refund.',
      }),
    ),
  }),
  body: refTo(RefundBody),
  'x-optional-body': true,
  response: {
    202: answerOf('The refund was ordered and goes to the bank now.', Type.Ref('Refund')),
    ...adminAnswersOf(
      ofChange,
      ofRefundAmount,
      'idempotencyKeyEmpty',
      'idempotencyKeyTooLong',
      'idempotencyKeyReused',
      notFound.payment,
      ofRefund,
    ),
  },
};

/** `POST /admin/payments/{id}/refunds`. */
export function createRoute(app: FastifyInstance, context: AdministrationContext): void {
  type Order = { Params: IdParams; Body: Static<typeof RefundBody> };
  const path = '/payments/:id/refunds';
  app.post<Order>(
    path,
    { schema, config: { may: 'orderRefund' }, preValidation: optionalBody },
    async (request, reply) => {
      const { actor, body, params } = request;
      const order = {
        paymentId: await ownPayment(context.db, actor, params.id),
        amount: body.amount,
        idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
        by: authorOf(request, body),
      };
      const refund = await refundPayment(context, order, request.log);
      return reply.code(202).send(refundView(refund));
    },
  );
}
