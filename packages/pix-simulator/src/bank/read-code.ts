import { formatAmount } from '@payments/pix/amount';
import { parseBrCode } from '@payments/pix/brcode';
import type { FastifyInstance } from 'fastify';
import { expiresAt } from '../charges.ts';
import type { StoredCharge } from '../ledger.ts';
import { Problem } from '../problem.ts';
import { instant } from '../shapes.ts';

const schema = {
  body: {
    type: 'object',
    required: ['pixCopiaECola'],
    properties: { pixCopiaECola: { type: 'string', minLength: 1 } },
  },
};

/** `POST /bank/read`: what a code says, and the charge behind it when this bank has it. */
export function readCode(app: FastifyInstance): void {
  app.post<{ Body: { pixCopiaECola: string } }>('/bank/read', { schema }, async (request) => {
    const code = parseBrCode(request.body.pixCopiaECola);
    if (!code) throw new Problem(404, 'CobNaoEncontrado', 'Isto não é um código Pix, ou o CRC está errado.');
    const charge = app.bank.ledger.chargeAt(code.location ?? '');
    return { code, charge: charge ? summary(app, charge) : null };
  });
}

function summary(app: FastifyInstance, charge: StoredCharge) {
  const pix = app.bank.ledger.pixOf(charge.txid);
  return {
    txid: charge.txid,
    status: charge.status,
    valor: charge.terms.valor.original,
    solicitacaoPagador: charge.terms.solicitacaoPagador ?? null,
    infoAdicionais: charge.terms.infoAdicionais ?? [],
    expiraEm: instant(expiresAt(charge)),
    expirada: app.bank.clock.now() > expiresAt(charge),
    pago: pix.map((one) => ({
      endToEndId: one.endToEndId,
      valor: formatAmount(one.amount),
      horario: instant(one.paidAt),
    })),
  };
}
