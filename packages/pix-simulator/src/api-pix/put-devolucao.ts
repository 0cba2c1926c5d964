import { parseAmount } from '@payments/pix/amount';
import type { FastifyInstance } from 'fastify';
import { findPix, requestRefund } from '../refunds.ts';
import { showRefund } from '../shapes.ts';
import { type DevolucaoParams, devolucaoParams } from './devolucao-params.ts';
import { lostAnswer } from './lost-answer.ts';

type Body = { valor: string; natureza?: string; descricao?: string };

/** `PUT /pix/{e2eid}/devolucao/{id}`: sends money back. An id used before is refused, not repeated. */
export function putDevolucao(app: FastifyInstance): void {
  app.put<{ Params: DevolucaoParams; Body: Body }>(
    '/pix/:e2eid/devolucao/:id',
    {
      schema: { params: devolucaoParams, body: { $ref: 'api-pix#/definitions/DevolucaoSolicitada' } },
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
