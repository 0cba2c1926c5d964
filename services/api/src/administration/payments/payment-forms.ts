import { findPayment } from '@payments/database/payments/payments';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorOf, ReasonBody } from '../../access/author.ts';
import { ownDelivery, ownPayment } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { asApiError } from '../../http/errors/error-answers.ts';
import { errors } from '../../http/errors/errors.ts';
import { sendAgain } from '../deliveries/send-again.ts';
import { alert } from '../kit/alert.ts';
import { judgeBy } from '../kit/judge.ts';
import { retryRefund, withdraw } from '../refunds/actions.ts';
import { showPayment } from './payment-page.ts';
import { reasonFrom } from './reason.ts';

const judgeReason = judgeBy(ReasonBody);

/** The actions of the buttons beside a payment's deliveries and refunds. */
export function paymentActions(app: FastifyInstance, context: AdministrationContext): void {
  type Part = { Params: { id: string; part: string } };
  const sending = { config: { may: 'redeliver' as const } };
  app.post<Part>('/payments/:id/deliveries/:part/redeliver', sending, async (request, reply) => {
    const { actor, params } = request;
    const id = await ownPayment(context.db, actor, params.id);
    if (!(await findPayment(context.db, id))) throw errors.paymentNotFound();
    const part = await ownDelivery(context.db, actor, params.part);
    return redirectOrShowConflict(
      { request, reply, id },
      `/panel/payments/${id}?done=sent-again#deliveries`,
      () => sendAgain(context, part, authorOf(request)),
    );
  });

  const actOnRefund = (action: string, done: string, act: typeof withdraw, to: string) => {
    const config = { may: 'orderRefund', proof: { to } } as const;
    app.post<Part>(`/payments/:id/refunds/:part/${action}`, { config }, async (request, reply) => {
      const { actor, params } = request;
      const { id, part: refundId } = params;
      const { reason = null } = judgeReason({ reason: reasonFrom(request) });
      const decision = { actor, paymentId: id, refundId, by: authorOf(request, { reason }) };
      const next = `/panel/payments/${id}?done=${done}#refunds`;
      return redirectOrShowConflict({ request, reply, id }, next, () => act(context, decision, request.log));
    });
  };
  actOnRefund('retry', 'refund-ordered', retryRefund, 'pedir a devolução de novo');
  actOnRefund('withdraw', 'refund-withdrawn', withdraw, 'retirar a devolução');

  type Asked = { request: FastifyRequest; reply: FastifyReply; id: string };

  /** Redirects to `next`. If the payment's state does not allow the action, shows its page with the reason. */
  async function redirectOrShowConflict(
    { request, reply, id }: Asked,
    next: string,
    act: () => Promise<unknown>,
  ) {
    try {
      await act();
    } catch (error) {
      const { statusCode, message } = asApiError(error);
      if (statusCode !== 409) throw error;
      return showPayment(context, request, reply.code(409), { id, notice: alert('error', message) });
    }
    return reply.redirect(next, 303);
  }
}
