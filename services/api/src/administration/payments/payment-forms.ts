import { findPayment } from '@payments/database/payments/payments';
import { isId } from '@payments/domain/identifiers';
import { mayTransition, paymentStatuses } from '@payments/domain/status';
import { PixRefused, PixUnavailable } from '@payments/pix/errors';
import { type Decision, TransitionRefused } from '@payments/settlement/decide';
import { Refused } from '@payments/settlement/refusals';
import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorOf, ownDelivery, ownPayment, ReasonBody } from '../../access/actor.ts';
import type { AdministrationContext, AdministrationPlugin } from '../../context.ts';
import { asApiError } from '../../http/errors/error-answers.ts';
import { errors } from '../../http/errors/errors.ts';
import { sendAgain } from '../deliveries/actions.ts';
import { kindIn } from '../kit/filters.ts';
import { attempt, judgeBy, reasonFrom, textOf } from '../kit/form-values.ts';
import { alert, refusalWords } from '../kit/parts.ts';
import { linkTo } from '../kit/tables.ts';
import { retryRefund, withdraw } from '../refunds/actions.ts';
import { paymentParams } from '../shapes.ts';
import { decideOnPayment } from './actions.ts';
import type { ActionForm, DecisionForm } from './parts.ts';
import { showPayment } from './payment-page.ts';
import { StatusBody } from './schemas.ts';

const judgeDecision = judgeBy(StatusBody);
const judgeReason = judgeBy(ReasonBody);

/** A payment, and one of its deliveries or refunds. */
const partParams = Type.Object({ id: Type.String(), part: Type.String() });

/** The actions of a payment's page, by its forms. A refusal shows on the page, and the typed reason stays. */
export const paymentActions: AdministrationPlugin = async (app, { context }) => {
  // A rejection returns the money that the review has received.
  const proof = { to: 'rejeitar ou cancelar o pagamento', when: isRejection };
  const deciding = { schema: { params: paymentParams }, config: { may: 'changeStatus' as const, proof } };
  app.post('/payments/:id/status', deciding, async (request, reply) => {
    const { id } = request.params;
    const typed = typedDecision(request);
    const tell = (code: number, text: string, wrong?: string) =>
      showPayment(context, request, reply.code(code), {
        id,
        notice: alert('error', text),
        refusedDecision: wrong === undefined ? typed : { ...typed, wrong },
      });
    const { result: move, wrong } = await attempt(() =>
      judgeDecision({ status: typed.to, reason: reasonFrom(request) }),
    );
    if (!move) return tell(400, 'O status não foi alterado. Confira o campo indicado.', wrong.message);
    const by = authorOf(request, move);
    const decision = { paymentId: id, from: typed.from, to: move.status, by, shown: shownIn(request) };
    const before = isId(id) ? await findPayment(context.db, id) : undefined;
    try {
      await decideOnPayment(context, decision, request.log);
    } catch (error) {
      if (error instanceof TransitionRefused) return tell(409, await whyNot(context, decision, error));
      if (!(error instanceof PixUnavailable || error instanceof PixRefused)) throw error;
      request.log.warn({ err: error, paymentId: id }, 'the bank could not be asked about a review');
      return tell(503, 'O banco não respondeu; nada foi alterado. Tente de novo.');
    }
    const [back, kind] = typed.back
      ? ['/panel/reviews', kindIn(before?.test)]
      : [`/panel/payments/${id}`, {}];
    return reply.redirect(linkTo(back, { done: `${before?.status}-${move.status}`, ...kind }), 303);
  });

  const sending = { schema: { params: partParams }, config: { may: 'redeliver' as const } };
  app.post('/payments/:id/deliveries/:part/redeliver', sending, async (request, reply) => {
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

  const actOnRefund = (action: ActionForm['action'], done: string, act: typeof withdraw, to: string) => {
    const schema = { params: partParams };
    const config = { may: 'orderRefund', proof: { to } } as const;
    app.post(`/payments/:id/refunds/:part/${action}`, { schema, config }, async (request, reply) => {
      const { actor, params } = request;
      const { id, part: refundId } = params;
      const refusedAction = { refundId, action, reason: textOf(request.body, 'reason') };
      const { result, wrong } = await attempt(() => judgeReason({ reason: reasonFrom(request) }));
      if (wrong)
        return showPayment(context, request, reply.code(400), {
          id,
          notice: alert('error', 'Nada foi alterado. Confira o campo indicado.'),
          refusedAction: { ...refusedAction, wrong: wrong.message },
        });
      const decision = { actor, paymentId: id, refundId, by: authorOf(request, result) };
      const next = `/panel/payments/${id}?done=${done}#refunds`;
      return redirectOrShowConflict({ request, reply, id, refusedAction }, next, () =>
        act(context, decision, request.log),
      );
    });
  };
  actOnRefund('retry', 'refund-ordered', retryRefund, 'pedir a devolução de novo');
  actOnRefund('withdraw', 'refund-withdrawn', withdraw, 'retirar a devolução');

  type Asked = { request: FastifyRequest; reply: FastifyReply; id: string; refusedAction?: ActionForm };

  /** Redirects to `next`. If the payment's state does not allow the action, shows its page with the reason. */
  async function redirectOrShowConflict(
    { request, reply, id, refusedAction }: Asked,
    next: string,
    act: () => Promise<unknown>,
  ) {
    try {
      await act();
    } catch (error) {
      const { statusCode, message: said } = asApiError(error);
      if (statusCode !== 409) throw error;
      const message = error instanceof Refused ? refusalWords(error.refusal) : said;
      const notice = alert('error', message);
      return showPayment(context, request, reply.code(409), { id, notice, refusedAction });
    }
    return reply.redirect(next, 303);
  }
};

const isRejection = (body: unknown) => textOf(body, 'status') === 'not_approved';

function typedDecision({ body }: FastifyRequest): DecisionForm {
  const back = textOf(body, 'back') === 'reviews' ? 'reviews' : undefined;
  const from = paymentStatuses.find((status) => status === textOf(body, 'from'));
  return { from, to: textOf(body, 'status'), reason: textOf(body, 'reason'), back };
}

/** @returns the approvable amount that the form showed, in centavos */
function shownIn({ body }: FastifyRequest): number | undefined {
  const shown = textOf(body, 'shown');
  return /^\d{1,12}$/.test(shown) ? Number(shown) : undefined;
}

const moved =
  'O pagamento mudou enquanto a página estava aberta, ou esta mudança não é permitida. Confira o status atual.';

/** Explains a refused move: by the error's message if the status allows the move, otherwise by the status. */
async function whyNot(
  { db }: AdministrationContext,
  { paymentId, to }: Decision,
  { refusal }: TransitionRefused,
): Promise<string> {
  const payment = await findPayment(db, paymentId);
  const isListed = payment !== undefined && mayTransition(payment.status, to, 'administrator');
  return `Nada foi alterado. ${isListed ? refusalWords(refusal) : moved}`;
}
