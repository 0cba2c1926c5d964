import { isId } from '@payments/domain/identifiers';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ReasonBody } from '../../admin/author.ts';
import { sendAgain } from '../../admin/deliveries/send-again.ts';
import { movePayment } from '../../admin/payments/move-payment.ts';
import { StatusBody } from '../../admin/payments/schemas.ts';
import { refundAnew } from '../../admin/refunds/refund-anew.ts';
import type { ApiContext } from '../../context.ts';
import { asApiError } from '../../errors/error-answers.ts';
import { errors } from '../../errors/errors.ts';
import { readText } from '../../field-values.ts';
import { textOf } from '../forms/form-values.ts';
import { attempt, judgeBy } from '../forms/judge.ts';
import { nothing } from '../html.ts';
import { alert } from '../page/alert.ts';
import { authorOf } from '../session/author.ts';
import { showPayment } from './show-payment.ts';

const judgeMove = judgeBy(StatusBody);
const judgeReason = judgeBy(ReasonBody);
const moved =
  'Nada foi alterado: o pagamento mudou enquanto a página estava aberta, ou esta mudança não é permitida. Confira o estado atual.';

/** What the buttons of a payment's page do. */
export function paymentActions(app: FastifyInstance, context: ApiContext): void {
  app.post<{ Params: { id: string } }>('/payments/:id/status', async (request, reply) => {
    const { id } = request.params;
    const [to, typed] = [textOf(request.body, 'status'), textOf(request.body, 'reason')];
    const { result: move, wrong } = await attempt(() =>
      judgeMove({ status: to, reason: reasonFrom(request) }),
    );
    if (!move) {
      const shown = { id, notice: nothing, wrong: { to, reason: typed, message: wrong.message } };
      return showPayment(context, request, reply.code(400), shown);
    }
    const decision = { paymentId: id, to: move.status, by: authorOf(request, move.reason ?? null) };
    const back = textOf(request.body, 'back') === 'reviews' ? '/panel/reviews' : `/panel/payments/${id}`;
    return orTell({ request, reply, id, refusal: moved }, `${back}?done=status-changed`, () =>
      movePayment(context, decision, request.log),
    );
  });

  type Part = { Params: { id: string; part: string } };
  app.post<Part>('/payments/:id/deliveries/:part/redeliver', async (request, reply) => {
    const { id, part } = request.params;
    if (!isId(id) || !isId(part)) throw errors.deliveryNotFound();
    return orTell({ request, reply, id }, `/panel/payments/${id}?done=sent-again#deliveries`, () =>
      sendAgain(context, part, authorOf(request)),
    );
  });

  app.post<Part>('/payments/:id/refunds/:part/retry', async (request, reply) => {
    const { id, part: refundId } = request.params;
    const { reason = null } = judgeReason({ reason: reasonFrom(request) });
    const order = { paymentId: id, refundId, by: authorOf(request, reason) };
    return orTell({ request, reply, id }, `/panel/payments/${id}?done=refund-ordered#refunds`, () =>
      refundAnew(context, order, request.log),
    );
  });

  type Asked = { request: FastifyRequest; reply: FastifyReply; id: string; refusal?: string };

  /** Goes on to `next`; what the payment's present state does not allow is told on its page as it is now. */
  async function orTell({ request, reply, id, refusal }: Asked, next: string, act: () => Promise<unknown>) {
    try {
      await act();
    } catch (error) {
      const { statusCode, message } = asApiError(error);
      if (statusCode !== 409) throw error;
      return showPayment(context, request, reply.code(409), {
        id,
        notice: alert('error', refusal ?? message),
      });
    }
    return reply.redirect(next, 303);
  }
}

/** @throws ApiError 400 for what can't be recorded */
function reasonFrom({ body }: FastifyRequest): string | null {
  const reason = textOf(body, 'reason');
  return reason === '' ? null : readText('reason', reason);
}
