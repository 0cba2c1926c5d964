import { RefundRefused } from '@payments/settlement/refunds/order-refund';
import type { FastifyInstance } from 'fastify';
import { authorOf, ReasonBody } from '../../access/author.ts';
import type { AdministrationContext } from '../../context.ts';
import { attempt, judgeBy, reasonFrom, textOf } from '../kit/form-values.ts';
import { alert, notice } from '../kit/notices.ts';
import { refundUnmatched } from './refund-unmatched.ts';
import { showUnmatchedPix } from './show-unmatched-pix.ts';

const judge = judgeBy(ReasonBody);

/** The page of unmatched Pix, and their refund: a second post finds nothing left to refund. */
export function unmatchedPixPages(app: FastifyInstance, context: AdministrationContext): void {
  type Query = { Querystring: { done?: unknown } };
  app.get<Query>('/unmatched-pix', { config: { may: 'reconcile' } }, async (request, reply) =>
    showUnmatchedPix(context, request, reply, notice(request.query.done)),
  );

  type Params = { Params: { endToEndId: string } };
  const refunding = { config: { may: 'refundUnmatched' as const, proof: { to: 'devolver o Pix' } } };
  app.post<Params>('/unmatched-pix/:endToEndId/refund', refunding, async (request, reply) => {
    const { endToEndId } = request.params;
    const tell = (code: number, message: string, wrong?: string) => {
      const said = alert('error', `Nenhuma devolução foi pedida. ${message}`);
      const undone = { endToEndId, reason: textOf(request.body, 'reason'), wrong };
      return showUnmatchedPix(context, request, reply.code(code), said, undone);
    };
    const { result, wrong } = await attempt(() => judge({ reason: reasonFrom(request) }));
    if (wrong) return tell(400, 'Confira o campo indicado.', wrong.message);
    try {
      const by = authorOf(request, result);
      await refundUnmatched(context, { endToEndId, by }, request.log);
    } catch (error) {
      if (error instanceof RefundRefused) return tell(409, error.message);
      throw error;
    }
    return reply.redirect('/panel/unmatched-pix?done=refund-requested', 303);
  });
}
