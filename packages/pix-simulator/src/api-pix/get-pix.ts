import type { FastifyInstance } from 'fastify';
import { lookAs } from '../looks.ts';
import { HiddenByFault } from '../problem.ts';
import { findPix } from '../refunds.ts';

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
    async (request) => {
      const look = lookAs(app.bank, 'getPix');
      const pix = look.pix(findPix(app.bank, request.params.e2eid));
      if (!pix)
        throw new HiddenByFault(404, 'PixNaoEncontrado', 'Pix não encontrado para o e2eid informado.');
      return look.show(pix);
    },
  );
}
