import type { BankError, RefundError } from '@payments/domain/bank-error';
import type { DeliveryError } from '@payments/domain/delivery-error';
import t from 'tap';
import { bankErrorName } from '../../src/administration/banks/names.ts';
import { deliveryErrorName } from '../../src/administration/deliveries/parts.ts';
import { refundErrorName } from '../../src/administration/payments/names.ts';

/** Errors are stored as codes; the panel says them in Portuguese. */
t.test('errors of webhooks', async (t) => {
  const lost = 'A tentativa se perdeu com o processo que a fazia.';
  const cases: [DeliveryError, string][] = [
    [{ stage: null, code: 'status', detail: '500' }, 'Respondeu HTTP 500'],
    [{ stage: 'connect', code: 'connection_refused' }, 'Não foi possível conectar: conexão recusada'],
    [{ stage: 'address', code: 'not_allowed' }, 'Endereço não permitido: endereço interno'],
    [{ stage: 'timeout', code: 'no_response_in_time' }, 'Tempo esgotado: não respondeu a tempo'],
    [{ stage: 'tls', code: 'system', detail: 'CERT_HAS_EXPIRED' }, 'Falha no TLS: CERT_HAS_EXPIRED'],
    [{ stage: 'lost', code: 'lost' }, lost],
    [{ stage: 'lost', code: 'abandoned' }, lost],
  ];
  for (const [stored, shown] of cases) t.equal(deliveryErrorName(stored), shown);
});

t.test('errors of banks', async (t) => {
  const cases: [BankError, string][] = [
    [{ code: 'status', operation: 'getCob', detail: '503' }, 'getCob: o banco não atendeu ao pedido (503)'],
    [{ code: 'timeout', operation: 'putCharge' }, 'putCharge: o banco não respondeu a tempo'],
    [
      { code: 'refused', operation: 'token', detail: '401 AcessoNegado: chave' },
      'token: o banco recusou com 401 AcessoNegado: chave',
    ],
    [{ code: 'charge_unknown' }, 'O banco não conhece a cobrança.'],
    [{ code: 'told', detail: 'Saldo insuficiente.' }, 'Saldo insuficiente.'],
  ];
  for (const [stored, shown] of cases) t.equal(bankErrorName(stored), shown);
});

t.test('errors of refunds: a bank’s, or the rule that decided', async (t) => {
  const cases: [RefundError, string][] = [
    [{ code: 'told', detail: 'Saldo insuficiente.' }, 'Saldo insuficiente.'],
    [{ code: 'refund_not_shown' }, 'O banco não a mostra mais.'],
    [{ code: 'returned_already' }, 'Todo o valor já havia sido devolvido.'],
    [{ code: 'windowOver' }, 'O prazo de 90 dias para devolver este Pix terminou.'],
    [{ code: 'moreThanIsLeft' }, 'O valor é maior do que o que resta a devolver deste pagamento.'],
  ];
  for (const [stored, shown] of cases) t.equal(refundErrorName(stored), shown);
});
