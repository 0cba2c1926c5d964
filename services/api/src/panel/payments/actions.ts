import { isId } from '@payments/domain/identifiers';
import type { FastifyInstance } from 'fastify';
import { sendAgain } from '../../admin/deliveries/send-again.ts';
import { movePayment } from '../../admin/payments/move-payment.ts';
import { StatusBody } from '../../admin/payments/routes.ts';
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
const moved =
  'Nada foi alterado: o pagamento mudou enquanto a página estava aberta, ou esta mudança não é permitida. Confira o estado atual.';

/** What the buttons of a payment's page do. */
export function paymentActions(app: FastifyInstance, context: ApiContext): void {
  type Payment = { Params: { id: string } };
  app.post<Payment>('/payments/:id/status', async (request, reply) => {
    const { id } = request.params;
    const [to, reason] = [textOf(request.body, 'status'), textOf(request.body, 'reason')];
    const { result: move, wrong } = await attempt(() => {
      const body = judgeMove({ status: to, reason: reason === '' ? null : reason });
      return { ...body, reason: body.reason ? readText('reason', body.reason) : null };
    });
    if (!move) {
      const shown = { id, notice: nothing, wrong: { to, reason, message: wrong.message } };
      return showPayment(context, request, reply.code(400), shown);
    }
    try {
      const decision = { paymentId: id, to: move.status, by: authorOf(request, move.reason) };
      await movePayment(context, decision, request.log);
    } catch (error) {
      if (asApiError(error).statusCode !== 409) throw error;
      return showPayment(context, request, reply.code(409), { id, notice: alert('error', moved) });
    }
    const back = textOf(request.body, 'back') === 'reviews' ? '/panel/reviews' : `/panel/payments/${id}`;
    return reply.redirect(`${back}?done=status-changed`, 303);
  });

  type Delivery = { Params: { id: string; deliveryId: string } };
  app.post<Delivery>('/payments/:id/deliveries/:deliveryId/redeliver', async (request, reply) => {
    const { id, deliveryId } = request.params;
    if (!isId(deliveryId)) throw errors.deliveryNotFound();
    try {
      await sendAgain(context, deliveryId, authorOf(request));
    } catch (error) {
      const { statusCode, message } = asApiError(error);
      if (statusCode !== 409) throw error;
      return showPayment(context, request, reply.code(409), { id, notice: alert('error', message) });
    }
    return reply.redirect(`/panel/payments/${id}?done=sent-again#deliveries`, 303);
  });
}
