import { bacen } from './bacen.ts';
import { marksUnknown, type Profile } from './profile.ts';

/** C6 Bank. */
export const c6: Profile = {
  ...bacen,
  psp: 'c6',
  name: 'C6 Bank',
  production: {
    url: 'https://baas-api.c6bank.info/v2/pix',
    tokenUrl: 'https://baas-api.c6bank.info/v1/auth',
  },
  sandbox: {
    url: 'https://baas-api-sandbox.c6bank.info/v2/pix',
    tokenUrl: 'https://baas-api-sandbox.c6bank.info/v1/auth',
  },
  tokenPath: '/v1/auth',
  needs: ['secret', 'certificate'],

  // Some code has them in the body instead (`PIX_TOKEN_CREDENTIALS=body`).
  credentials: 'basic',
  scopes: [],

  callbackSuffix: 'unknown',
  callbackProbe: 'unknown',

  sources: [
    { kind: 'third-party', where: 'ProjetoACBr/ACBr, ACBrPIXPSPC6Bank.pas and change log', date: '2024-09' },
    {
      kind: 'third-party',
      where: 'several clients of baas-api.c6bank.info in public repositories',
      date: 'read 2026-11',
    },
  ],
  unknown: ['the longest range of a list', 'all of the callback', 'scopes', 'limits of calls', marksUnknown],
};
