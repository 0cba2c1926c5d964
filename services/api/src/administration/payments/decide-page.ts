import { findPayment } from '@payments/database/payments/payments';
import { isId } from '@payments/domain/identifiers';
import { mayTransition } from '@payments/domain/status';
import { PixRefused, PixUnavailable } from '@payments/pix/errors';
import { type Decision, TransitionRefused } from '@payments/settlement/decide';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authorOf } from '../../access/author.ts';
import type { AdministrationContext } from '../../context.ts';
import { alert } from '../kit/alert.ts';
import { textOf } from '../kit/form-values.ts';
import { attempt, judgeBy } from '../kit/judge.ts';
import type { UndoneDecision } from './decisions.ts';
import { movePayment } from './move-payment.ts';
import { showPayment } from './payment-page.ts';
import { reasonFrom } from './reason.ts';
import { StatusBody } from './schemas.ts';

const judge = judgeBy(StatusBody);

/** Carries out a decision on a payment. A refusal shows on the payment's page, and the typed reason stays. */
export function decideRoute(app: FastifyInstance, context: AdministrationContext): void {
  // What a review has received goes back with its rejection.
  const proof = { to: 'rejeitar ou cancelar o pagamento', when: isRejection };
  const deciding = { config: { may: 'changeStatus' as const, proof } };
  app.post<{ Params: { id: string } }>('/payments/:id/status', deciding, async (request, reply) => {
    const { id } = request.params;
    const undone = typedDecision(request);
    const tell = (code: number, text: string, wrong?: string) =>
      showPayment(context, request, reply.code(code), {
        id,
        notice: alert('error', text),
        undone: wrong === undefined ? undone : { ...undone, wrong },
      });
    const { result: move, wrong } = await attempt(() =>
      judge({ status: undone.to, reason: reasonFrom(request) }),
    );
    if (!move) return tell(400, 'O status não foi alterado. Confira o campo indicado.', wrong.message);
    const by = authorOf(request, move);
    const decision = { paymentId: id, to: move.status, by, shown: shownIn(request) };
    const before = isId(id) ? await findPayment(context.db, id) : undefined;
    try {
      await movePayment(context, decision, request.log);
    } catch (error) {
      if (error instanceof TransitionRefused) return tell(409, await whyNot(context, decision, error));
      if (!(error instanceof PixUnavailable || error instanceof PixRefused)) throw error;
      request.log.warn({ err: error, paymentId: id }, 'the bank could not be asked about a review');
      return tell(503, 'O banco não respondeu; nada foi alterado. Tente de novo.');
    }
    const back = undone.back ? '/panel/reviews' : `/panel/payments/${id}`;
    return reply.redirect(`${back}?done=${before?.status}-${move.status}`, 303);
  });
}

const isRejection = (body: unknown) => textOf(body, 'status') === 'not_approved';

function typedDecision({ body }: FastifyRequest): UndoneDecision {
  const back = textOf(body, 'back') === 'reviews' ? 'reviews' : undefined;
  return { to: textOf(body, 'status'), reason: textOf(body, 'reason'), back };
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
  { message }: TransitionRefused,
): Promise<string> {
  const payment = await findPayment(db, paymentId);
  const isListed = payment !== undefined && mayTransition(payment.status, to, 'administrator');
  return `Nada foi alterado. ${isListed ? message : moved}`;
}
