import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { authorOf, optionalBody, ReasonBody } from '../author.ts';
import { adminAnswersOf, notFound, ofChange, ofRefundRetry } from '../conditions.ts';
import { refTo } from '../schemas.ts';
import { assertOwnRefund } from './own-refund.ts';
import { type RefundParams, refundParams } from './refund-params.ts';
import { refundView } from './refund-view.ts';
import { retryRefund } from './retry-refund.ts';

const schema = {
  operationId: 'refundAnew',
  summary: 'Retry a refund that the bank refused',
  description:
    'Orders a new refund, with a new id, of what is left of the Pix. Each refused refund can be replaced once, ' +
    'while its money is owed to the payer.',
  tags: ['Refunds'],
  params: refundParams,
  body: refTo(ReasonBody),
  'x-optional-body': true,
  response: {
    202: answerOf('The new refund was ordered and goes to the bank now.', Type.Ref('Refund')),
    ...adminAnswersOf(ofChange, notFound.refund, ofRefundRetry),
  },
};

/** `POST /admin/payments/{id}/refunds/{refundId}/retry`. */
export function retryRoute(app: FastifyInstance, context: ApiContext): void {
  type Retry = { Params: RefundParams; Body: Static<typeof ReasonBody> };
  const path = '/payments/:id/refunds/:refundId/retry';
  app.post<Retry>(
    path,
    { schema, config: { may: 'orderRefund' }, preValidation: optionalBody },
    async (request, reply) => {
      const { actor, params } = request;
      const { id: paymentId, refundId } = params;
      const by = authorOf(request, request.body);
      await assertOwnRefund(context.db, actor, paymentId);
      const order = { paymentId, refundId, by };
      const refund = await retryRefund(context, order, request.log);
      return reply.code(202).send(refundView(refund));
    },
  );
}
