import type { FastifyInstance } from 'fastify';
import { findCharge } from '../charges.ts';
import { lookAs } from '../looks.ts';
import { Problem } from '../problem.ts';
import { showChargeNow } from './show-charge-now.ts';

/** `GET /cob/{txid}`, as it is or in an earlier revision. */
export function getCob(app: FastifyInstance): void {
  app.get<{ Params: { txid: string }; Querystring: { revisao?: string } }>(
    '/cob/:txid',
    {
      schema: {
        params: { type: 'object', properties: { txid: { $ref: 'api-pix#/definitions/TxId' } } },
        querystring: { type: 'object', properties: { revisao: { type: 'string', pattern: '^\\d{1,9}$' } } },
      },
      config: { apiPix: { operation: 'getCob', scope: 'cob.read', invalid: 'CobConsultaInvalida' } },
    },
    async (request) => {
      const { txid } = request.params;
      const charge = findCharge(app.bank, txid);
      const { revisao = charge.revision } = request.query;
      const asked = app.bank.ledger.revision(txid, Number(revisao));
      if (!asked) throw new Problem(400, 'CobConsultaInvalida', 'A revisão não existe.');
      return showChargeNow(app.bank, lookAs(app.bank, 'getCob'), asked);
    },
  );
}
