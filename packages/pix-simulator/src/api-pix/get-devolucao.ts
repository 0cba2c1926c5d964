import type { FastifyInstance } from 'fastify';
import { lookAs } from '../looks.ts';
import { HiddenByFault } from '../problem.ts';
import { findPix, findRefund } from '../refunds.ts';
import { showRefund } from '../shapes.ts';
import { type DevolucaoParams, devolucaoParams } from './devolucao-params.ts';

/** `GET /pix/{e2eid}/devolucao/{id}`. */
export function getDevolucao(app: FastifyInstance): void {
  app.get<{ Params: DevolucaoParams }>(
    '/pix/:e2eid/devolucao/:id',
    {
      schema: { params: devolucaoParams },
      config: { apiPix: { operation: 'getDevolucao', scope: 'pix.read' } },
    },
    async (request) => {
      const { e2eid, id } = request.params;
      const refund = findRefund(app.bank, e2eid, id);
      const pix = lookAs(app.bank, 'getDevolucao').pix(findPix(app.bank, e2eid));
      const seen = pix?.refunds.find((one) => one.id === refund.id);
      if (!seen) throw new HiddenByFault(404, 'PixDevolucaoNaoEncontrada', 'Devolução não encontrada.');
      return showRefund(seen);
    },
  );
}
