import type { DeliveryError } from '@payments/domain/delivery-error';
import t from 'tap';
import { bankError } from '../../src/administration/banks/names.ts';
import { deliveryErrorName } from '../../src/administration/deliveries/names.ts';

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
  const cases: [string, string][] = [
    ['getCob: the PSP could not serve the request (503)', 'getCob: o banco não atendeu ao pedido (503)'],
    ['putCharge: the PSP did not answer in time', 'putCharge: o banco não respondeu a tempo'],
    [
      'token: the PSP refused with 401 AcessoNegado: chave',
      'token: o banco recusou com 401 AcessoNegado: chave',
    ],
    ['Saldo insuficiente.', 'Saldo insuficiente.'],
  ];
  for (const [recorded, shown] of cases) t.equal(bankError(recorded), shown);
});
