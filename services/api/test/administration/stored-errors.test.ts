import t from 'tap';
import { bankError } from '../../src/administration/banks/names.ts';
import { webhookError } from '../../src/administration/deliveries/webhook-error.ts';

/** Recorded errors are in English; the panel says them in Portuguese. */
t.test('errors of webhooks', async (t) => {
  const cases: [string, string][] = [
    ['status 500', 'Respondeu HTTP 500'],
    ['connect: connection refused', 'Não foi possível conectar: conexão recusada'],
    ['address: not allowed', 'Endereço não permitido: endereço interno'],
    ['timeout: no response in time', 'Tempo esgotado: não respondeu a tempo'],
    ['tls: CERT_HAS_EXPIRED', 'Falha no TLS: CERT_HAS_EXPIRED'],
    [
      'lost: the processes that attempted it disappeared; it is not attempted again',
      'A tentativa se perdeu com o processo que a fazia.',
    ],
  ];
  for (const [recorded, shown] of cases) t.equal(webhookError(recorded), shown);
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
