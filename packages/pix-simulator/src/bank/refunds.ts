import { parseAmount } from '@payments/pix/amount';
import type { FastifyInstance } from 'fastify';
import { randomAlphanumeric } from '../identifiers.ts';
import { findPix, type RefundCourse, remainder, requestRefund } from '../refunds.ts';
import { showRefund } from '../shapes.ts';

type Body = RefundCourse & {
  endToEndId: string;
  valor?: string | number;
  natureza?: string;
  descricao?: string;
};

const schema = {
  body: {
    type: 'object',
    required: ['endToEndId'],
    properties: {
      endToEndId: { type: 'string' },
      valor: { type: ['string', 'number'] },
      natureza: { enum: ['MED_FRAUDE', 'MED_OPERACIONAL', 'ORIGINAL'] },
      descricao: { type: 'string', maxLength: 140 },
      slowMs: { type: 'integer', minimum: 0, maximum: 600_000 },
      refused: { type: 'boolean' },
    },
  },
};

/**
 * `POST /bank/refunds`: the bank takes money back by itself (MED), or the receiver gives it back in the bank's app
 * (`ORIGINAL`); all that is left, unless `valor` says less. `slowMs` and `refused` say how it ends, whatever the faults are.
 */
export function refunds(app: FastifyInstance): void {
  app.post<{ Body: Body }>('/bank/refunds', { schema }, async (request, reply) => {
    const { endToEndId, valor, natureza, descricao, slowMs, refused } = request.body;
    const pix = findPix(app.bank, endToEndId);
    const asked = {
      id: `${natureza === 'ORIGINAL' ? 'APP' : 'MED'}${randomAlphanumeric(20)}`,
      amount: valor === undefined ? remainder(pix) : (parseAmount(valor) ?? 0),
      nature: natureza ?? 'MED_FRAUDE',
      description: descricao ?? null,
    };
    const refund = requestRefund(app.bank, pix, asked, { slowMs, refused });
    return reply.code(201).send(showRefund(refund));
  });
}
