import { parseAmount } from '@payments/pix/amount';
import type { FastifyInstance } from 'fastify';
import { lookAs } from '../looks.ts';
import { HiddenByFault } from '../problem.ts';
import { findPix, findRefund, requestRefund } from '../refunds.ts';
import { showRefund } from '../shapes.ts';
import { lostAnswer } from './suffer-faults.ts';

type Body = { valor: string; natureza?: string; descricao?: string };

const order = { $ref: 'api-pix#/definitions/DevolucaoSolicitada' };

/** `PUT /pix/{e2eid}/devolucao/{id}`: sends money back. An id used before is refused, not repeated. */
export function putDevolucao(app: FastifyInstance): void {
  app.put<{ Params: DevolucaoParams; Body: Body }>(
    '/pix/:e2eid/devolucao/:id',
    {
      schema: { params: devolucaoParams, body: order },
      config: { apiPix: { operation: 'putDevolucao', scope: 'pix.write', invalid: 'PixDevolucaoInvalida' } },
    },
    async (request, reply) => {
      const { valor, natureza, descricao } = request.body;
      const refund = requestRefund(app.bank, findPix(app.bank, request.params.e2eid), {
        id: request.params.id,
        amount: parseAmount(valor) ?? 0,
        nature: natureza ?? 'ORIGINAL',
        description: descricao ?? null,
      });
      if (app.bank.faults.loseRefundAnswers) throw lostAnswer();
      return reply.code(app.bank.rules.createdStatus).send(showRefund(refund));
    },
  );
}

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

/** Path of a refund (API Pix 2.9, `/pix/{e2eid}/devolucao/{id}`). */
export type DevolucaoParams = { e2eid: string; id: string };

export const devolucaoParams = {
  type: 'object',
  properties: {
    e2eid: { $ref: 'api-pix#/definitions/EndToEndId' },
    id: { $ref: 'api-pix#/definitions/DevolucaoId' },
  },
};
