import { bacen } from './bacen.ts';
import { marksUnknown, type Profile } from './profile.ts';

/**
 * Santander. Charges are created at version 1 and changed at version 2. It refuses a second PUT of a txid. It sends a
 * `location` instead of a code.
 */
export const santander: Profile = {
  ...bacen,
  psp: 'santander',
  name: 'Santander',
  production: {
    url: 'https://trust-pix.santander.com.br/api/v1',
    tokenUrl: 'https://trust-pix.santander.com.br/oauth/token',
  },
  sandbox: {
    url: 'https://trust-pix-h.santander.com.br/api/v1',
    tokenUrl: 'https://trust-pix-h.santander.com.br/oauth/token',
  },
  tokenPath: '/oauth/token',
  needs: ['secret', 'certificate'],

  credentials: 'body',
  grantIn: 'query',
  scopes: [],

  // Lists: most code asks at `pix`, one library at `../../payment-order/v1/pixrecebidos`.
  paths: { cancelCharge: '../v2/cob' },

  listLacksTxid: true,
  // Every Pix of a page costs another call, and all of them must fit into one list's time.
  pageSize: 20,

  callbackSuffix: 'unknown',
  callbackProbe: 'unknown',

  sources: [
    { kind: 'third-party', where: 'ProjetoACBr/ACBr, ACBrPIXPSPSantander.pas', date: '2025-07' },
    {
      kind: 'third-party',
      where: 'several clients of trust-pix.santander.com.br in public repositories',
      date: 'read 2026-11',
    },
  ],
  unknown: ['the longest range of a list', 'all of the callback', 'scopes', 'limits of calls', marksUnknown],
};
