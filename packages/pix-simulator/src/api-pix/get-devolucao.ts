import type { FastifyInstance } from 'fastify';
import { findRefund } from '../refunds.ts';
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
    async (request) => showRefund(findRefund(app.bank, request.params.e2eid, request.params.id)),
  );
}
