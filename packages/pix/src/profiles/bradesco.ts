import { bacen } from './bacen.ts';
import { marksUnknown, type Profile } from './profile.ts';

/** Bradesco. Errors inside the bank come as SOAP with a 500. */
export const bradesco: Profile = {
  ...bacen,
  psp: 'bradesco',
  name: 'Bradesco',
  production: {
    url: 'https://qrpix.bradesco.com.br/v2',
    // Since October 2025 also `/auth/server/oauth/token`.
    tokenUrl: 'https://qrpix.bradesco.com.br/oauth/token',
  },
  sandbox: {
    url: 'https://qrpix-h.bradesco.com.br/v2',
    tokenUrl: 'https://qrpix-h.bradesco.com.br/oauth/token',
  },
  tokenPath: '/oauth/token',
  needs: ['secret', 'certificate'],

  scopes: [],

  // The second one where charges are put to `cob-emv` (`PIX_PATHS=putCharge=cob-emv`).
  codeFields: ['pixCopiaECola', 'emv'],

  // The receiver's certificate must be OV or EV (bacen/pix-api, issue 670).
  callbackProbe: 'unknown',

  sources: [
    {
      kind: 'third-party',
      where: 'ProjetoACBr/ACBr, ACBrPIXPSPBradesco.pas and change log',
      date: '2025-10',
    },
    { kind: 'third-party', where: 'bacen/pix-api, issues 535 and 670', date: 'read 2026-11' },
  ],
  unknown: [
    'the longest range of a list',
    'scopes',
    'how the callback is tried',
    'limits of calls',
    marksUnknown,
  ],
};
