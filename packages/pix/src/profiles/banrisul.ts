import { bacen } from './bacen.ts';
import { marksUnknown, type Profile } from './profile.ts';

/** Banrisul, which claims version 2.9.0 of the standard. */
export const banrisul: Profile = {
  ...bacen,
  psp: 'banrisul',
  name: 'Banrisul',
  production: {
    url: 'https://mtls-api.banrisul.com.br/pix/api-mtls',
    tokenUrl: 'https://mtls-api.banrisul.com.br/auth/oauth/v2/token',
  },
  sandbox: {
    url: 'https://mtls-api-h.banrisul.com.br/pix/api-mtls',
    tokenUrl: 'https://mtls-api-h.banrisul.com.br/auth/oauth/v2/token',
  },
  tokenPath: '/auth/oauth/v2/token',
  needs: ['secret', 'certificate'],

  // Some code has them in the Authorization header instead (`PIX_TOKEN_CREDENTIALS=basic`).
  credentials: 'body',

  callbackSuffix: 'unknown',
  callbackProbe: 'unknown',

  sources: [
    { kind: 'third-party', where: 'ProjetoACBr/ACBr, ACBrPIXPSPBanrisul.pas', date: '2024-05' },
    {
      kind: 'third-party',
      where: 'notes on the bank’s interface in public repositories',
      date: 'read 2026-11',
    },
  ],
  unknown: ['the longest range of a list', 'all of the callback', 'limits of calls', marksUnknown],
};
