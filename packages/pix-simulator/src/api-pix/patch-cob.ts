import type { FastifyInstance } from 'fastify';
import { type ChargeChange, changeCharge, findCharge } from '../charges.ts';
import { lookAs } from '../looks.ts';
import { showChargeNow } from './show-charge-now.ts';

/** `PATCH /cob/{txid}`: changes or removes an active charge. */
export function patchCob(app: FastifyInstance): void {
  app.patch<{ Params: { txid: string }; Body: ChargeChange }>(
    '/cob/:txid',
    {
      schema: {
        params: { type: 'object', properties: { txid: { $ref: 'api-pix#/definitions/TxId' } } },
        body: { $ref: 'api-pix#/definitions/CobRevisada' },
      },
      config: { apiPix: { operation: 'patchCob', scope: 'cob.write', invalid: 'CobOperacaoInvalida' } },
    },
    async (request) => {
      const { txid } = request.params;
      const look = lookAs(app.bank, 'patchCob');
      look.charge(findCharge(app.bank, txid));
      return showChargeNow(app.bank, look, changeCharge(app.bank, txid, request.body));
    },
  );
}
