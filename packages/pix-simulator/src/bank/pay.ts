import { formatAmount, parseAmount } from '@payments/pix/amount';
import { parseBrCode } from '@payments/pix/brcode';
import type { FastifyInstance } from 'fastify';
import type { Bank } from '../bank.ts';
import { expiresAt, receivePix } from '../charges.ts';
import type { StoredCharge } from '../ledger.ts';
import { Problem } from '../problem.ts';
import { instant } from '../shapes.ts';

type Body = {
  pixCopiaECola: string;
  valor?: string | number;
  late?: boolean;
  secondsAgo?: number;
  refusesRefunds?: boolean;
};

const schema = {
  body: {
    type: 'object',
    required: ['pixCopiaECola'],
    properties: {
      pixCopiaECola: { type: 'string', minLength: 1 },
      valor: { type: ['string', 'number'] },
      late: { type: 'boolean' },
      secondsAgo: { type: 'number', minimum: 0, maximum: 86_400 },
      refusesRefunds: { type: 'boolean' },
    },
  },
};

/** `POST /bank/pay`: a payer's bank pays a code, any amount, any number of times, also after its expiry. */
export function pay(app: FastifyInstance): void {
  app.post<{ Body: Body }>('/bank/pay', { schema }, async (request, reply) => {
    const { pixCopiaECola, valor, late, secondsAgo = 0, refusesRefunds = false } = request.body;
    const charge = chargeBehind(app.bank, pixCopiaECola);
    const amount = amountOf(valor ?? charge.terms.valor.original);
    const now = app.bank.clock.now() - secondsAgo * 1000;
    const paidAt = late ? Math.max(now, expiresAt(charge) + 1000) : now;
    const pix = receivePix(app.bank, charge, amount, paidAt, refusesRefunds ? { refusesRefunds } : {});
    return reply.code(201).send({
      endToEndId: pix.endToEndId,
      txid: pix.txid,
      valor: formatAmount(pix.amount),
      horario: instant(pix.paidAt),
    });
  });
}

export function chargeBehind(bank: Bank, code: string): StoredCharge {
  const charge = bank.ledger.chargeAt(parseBrCode(code)?.location ?? '');
  if (!charge) throw new Problem(404, 'CobNaoEncontrado', 'O código não é de nenhuma cobrança deste banco.');
  return charge;
}

function amountOf(valor: string | number): number {
  const amount = parseAmount(valor);
  if (!amount)
    throw new Problem(400, 'RequisicaoInvalida', 'valor deve ser maior que zero, com até dois decimais.');
  return amount;
}
