import { bacen } from './bacen.ts';
import { marksUnknown, type Profile } from './profile.ts';

/** Sicredi. It silently leaves out scopes that were not granted. A call that needs one is a 400. */
export const sicredi: Profile = {
  ...bacen,
  psp: 'sicredi',
  name: 'Sicredi',
  production: {
    url: 'https://api-pix.sicredi.com.br/api/v2',
    tokenUrl: 'https://api-pix.sicredi.com.br/oauth/token',
  },
  sandbox: {
    url: 'https://api-pix-h.sicredi.com.br/api/v2',
    tokenUrl: 'https://api-pix-h.sicredi.com.br/oauth/token',
  },
  tokenPath: '/oauth/token',
  needs: ['secret', 'certificate'],

  // Guide 1.9.5 has `cob` at version 3 (`PIX_PATHS=putCharge=../v3/cob,…`); all code that is in use has version 2.

  // "Esta credencial não possui os escopos de … habilitados"
  denied: ['401', '403', '400:escopos'],

  callbackProbe: 'unknown',

  sources: [
    {
      kind: 'third-party',
      where: 'laddertech/pypix-api, report on guide 1.9.5 of the bank',
      date: 'read 2026-11',
    },
    { kind: 'third-party', where: 'ProjetoACBr/ACBr, ACBrPIXPSPSicredi.pas', date: 'read 2026-11' },
  ],
  unknown: ['the longest range of a list', 'how the callback is tried', 'limits of calls', marksUnknown],
};
