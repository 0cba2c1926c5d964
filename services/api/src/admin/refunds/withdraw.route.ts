import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { authorOf, optionalBody, ReasonBody } from '../author.ts';
import { adminAnswersOf, notFound, ofChange, ofRefundRetry, ofWithdrawal } from '../conditions.ts';
import { refTo } from '../schemas.ts';
import { assertOwnRefund } from './own-refund.ts';
import { type RefundParams, refundParams } from './refund-params.ts';
import { refundView } from './refund-view.ts';
import { withdraw } from './withdraw.ts';

const schema = {
  operationId: 'withdrawRefund',
  summary: 'Withdraw a refund that the bank refused',
  description:
    'Only for a refund that an administrator ordered, of an approved or paid payment. The service stops retrying it, ' +
    'nothing is owed to the payer any more, and the payment can be paid out.',
  tags: ['Refunds'],
  params: refundParams,
  body: refTo(ReasonBody),
  'x-optional-body': true,
  response: {
    200: answerOf('The withdrawn refund.', Type.Ref('Refund')),
    ...adminAnswersOf(ofChange, notFound.refund, ofRefundRetry, ofWithdrawal),
  },
};

/** `POST /admin/payments/{id}/refunds/{refundId}/withdraw`. */
export function withdrawRoute(app: FastifyInstance, context: ApiContext): void {
  type Withdraw = { Params: RefundParams; Body: Static<typeof ReasonBody> };
  const path = '/payments/:id/refunds/:refundId/withdraw';
  app.post<Withdraw>(
    path,
    { schema, config: { may: 'orderRefund' }, preValidation: optionalBody },
    async (request) => {
      const { actor, params } = request;
      const { id: paymentId, refundId } = params;
      const by = authorOf(request, request.body);
      await assertOwnRefund(context.db, actor, paymentId);
      const withdrawal = { paymentId, refundId, by };
      return refundView(await withdraw(context, withdrawal, request.log));
    },
  );
}
