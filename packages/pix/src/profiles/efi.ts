import { bacen } from './bacen.ts';
import { marksUnknown, type Profile } from './profile.ts';

/**
 * Efí (formerly Gerencianet). Anything missing is a 400 with a name; the standard has 404.
 */
export const efi: Profile = {
  ...bacen,
  psp: 'efi',
  name: 'Efí',
  production: {
    url: 'https://pix.api.efipay.com.br/v2',
    tokenUrl: 'https://pix.api.efipay.com.br/oauth/token',
  },
  sandbox: {
    url: 'https://pix-h.api.efipay.com.br/v2',
    tokenUrl: 'https://pix-h.api.efipay.com.br/oauth/token',
  },
  tokenPath: '/oauth/token',
  needs: ['secret', 'certificate'],

  // The bank grants the application's own scopes.
  tokenFormat: 'json',
  scopes: [],

  // `cobranca_nao_encontrada`, `pix_nao_encontrado`, `devolucao_nao_encontrada`, `webhook_nao_encontrado`.
  missing: ['404', '400:_nao_encontrad'],

  // Without it the callback's address must ask for Efí's certificate. An address that asks for it also works with this.
  callbackHeaders: { 'x-skip-mtls-checking': 'true' },
  callbackProbe: 'post',

  sources: [
    { kind: 'bank', where: 'efipay/documentacao-tecnica-efi, docs/APIPix', date: 'read 2026-11' },
    {
      kind: 'bank',
      where: 'dev.efipay.com.br/docs/api-pix (cobrancas-imediatas, gestao-de-pix, webhooks)',
      date: 'read 2026-11',
    },
    { kind: 'bank', where: 'efipay/sdk-node-apis-efi', date: 'read 2026-11' },
  ],
  unknown: [
    'whether a token is given for a form, too',
    'the longest range of a list',
    'limits of calls',
    marksUnknown,
  ],
};
