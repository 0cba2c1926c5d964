import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { authorOf, optionalBody, ReasonBody } from '../../access/author.ts';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import {
  adminAnswersOf,
  notFound,
  ofChange,
  ofRefundRetry,
  ofRefusedRefund,
  ofWithdrawal,
} from '../conditions.ts';
import { refTo } from '../schemas.ts';
import { refundView } from './refund-view.ts';
import { retryRefund, withdraw } from './refused.ts';

const params = Type.Object({
  id: Type.String({ description: 'Identifier of the payment.' }),
  refundId: Type.String({ description: 'Identifier of the refund that the bank refused.' }),
});

const common = { tags: ['Refunds'], params, body: refTo(ReasonBody), 'x-optional-body': true };

const retry = {
  ...common,
  operationId: 'refundAnew',
  summary: 'Retry a refund that the bank refused',
  description:
    'Orders a new refund, with a new id, of what is left of the Pix. Each refused refund can be replaced once, ' +
    'while its money is owed to the payer.',
  response: {
    202: answerOf('The new refund was ordered and goes to the bank now.', Type.Ref('Refund')),
    ...adminAnswersOf(ofChange, notFound.refund, ofRefundRetry),
  },
};

const withdrawal = {
  ...common,
  operationId: 'withdrawRefund',
  summary: 'Withdraw a refund that the bank refused',
  description:
    'Only for a refund that an administrator ordered, of an approved or paid payment. The service stops retrying it, ' +
    'nothing is owed to the payer any more, and the payment can be paid out.',
  response: {
    200: answerOf('The withdrawn refund.', Type.Ref('Refund')),
    ...adminAnswersOf(ofChange, notFound.refund, ofRefusedRefund, ofWithdrawal),
  },
};

/** `POST /admin/payments/{id}/refunds/{refundId}/retry` and `…/withdraw`. */
export function refusedRoutes(app: FastifyInstance, context: AdministrationContext): void {
  type Decision = { Params: Static<typeof params>; Body: Static<typeof ReasonBody> };
  const serve = (
    path: string,
    schema: typeof retry | typeof withdrawal,
    code: number,
    act: typeof withdraw,
  ) => {
    const options = { schema, config: { may: 'orderRefund' as const }, preValidation: optionalBody };
    app.post<Decision>(`/payments/:id/refunds/:refundId/${path}`, options, async (request, reply) => {
      const { actor, params, body } = request;
      const decision = {
        actor,
        paymentId: params.id,
        refundId: params.refundId,
        by: authorOf(request, body),
      };
      return reply.code(code).send(refundView(await act(context, decision, request.log)));
    });
  };
  serve('retry', retry, 202, retryRefund);
  serve('withdraw', withdrawal, 200, withdraw);
}
