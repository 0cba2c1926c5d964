import type { FastifyInstance } from 'fastify';
import { findPix } from '../refunds.ts';
import { showPix } from '../shapes.ts';

/** `GET /pix/{e2eid}`. */
export function getPix(app: FastifyInstance): void {
  app.get<{ Params: { e2eid: string } }>(
    '/pix/:e2eid',
    {
      schema: {
        params: { type: 'object', properties: { e2eid: { $ref: 'api-pix#/definitions/EndToEndId' } } },
      },
      config: { apiPix: { operation: 'getPix', scope: 'pix.read' } },
    },
    async (request) => showPix(findPix(app.bank, request.params.e2eid)),
  );
}
