import type { FastifyInstance } from 'fastify';
import { putCharge } from '../charges.ts';
import { randomAlphanumeric } from '../identifiers.ts';
import type { ChargeTerms } from '../ledger.ts';
import { lookAs } from '../looks.ts';
import { cutConnection, lostAnswer } from './lost-answer.ts';
import { showChargeNow } from './show-charge-now.ts';

/** `PUT /cob/{txid}`: creates a charge, or sets an active one anew. `POST /cob`: creates one under a txid of the bank. */
export function putCob(app: FastifyInstance): void {
  app.put<{ Params: { txid: string }; Body: ChargeTerms }>(
    '/cob/:txid',
    {
      schema: {
        params: { type: 'object', properties: { txid: { $ref: 'api-pix#/definitions/TxId' } } },
        body: { $ref: 'api-pix#/definitions/CobSolicitada' },
      },
      config: { apiPix: { operation: 'putCob', scope: 'cob.write', invalid: 'CobOperacaoInvalida' } },
    },
    async (request, reply) => {
      if (app.bank.ledger.charges.has(request.params.txid)) app.bank.rules.putAgain();
      const charge = putCharge(app.bank, request.params.txid, request.body, request.host);
      if (app.bank.faults.loseChargeAnswers) throw lostAnswer();
      if (app.bank.faults.cutChargeAnswers) return cutConnection(request, reply);
      return reply
        .code(app.bank.rules.createdStatus)
        .send(showChargeNow(app.bank, lookAs(app.bank, 'putCob'), charge));
    },
  );

  app.post<{ Body: ChargeTerms }>(
    '/cob',
    {
      schema: { body: { $ref: 'api-pix#/definitions/CobSolicitada' } },
      config: { apiPix: { operation: 'postCob', scope: 'cob.write', invalid: 'CobOperacaoInvalida' } },
    },
    async (request, reply) => {
      const charge = putCharge(app.bank, randomAlphanumeric(32), request.body, request.host);
      return reply.code(201).send(showChargeNow(app.bank, lookAs(app.bank, 'postCob'), charge));
    },
  );
}
