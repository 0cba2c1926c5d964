import { bacen } from './bacen.ts';
import { marksUnknown, type Profile } from './profile.ts';

/** Itaú. An empty list is a 204 without a body. */
export const itau: Profile = {
  ...bacen,
  psp: 'itau',
  name: 'Itaú',
  production: {
    url: 'https://secure.api.itau/pix_recebimentos/v2',
    // Newer code asks at `/as/token.oauth2` of the same host.
    tokenUrl: 'https://sts.itau.com.br/api/oauth/token',
  },
  sandbox: {
    url: 'https://devportal.itau.com.br/sandboxapi/pix_recebimentos_ext_v2/v2',
    tokenUrl: 'https://devportal.itau.com.br/api/jwt',
  },
  tokenPath: '/api/oauth/token',
  needs: ['secret', 'certificate'],

  credentials: 'body',
  scopes: [],

  // The OpenAPI document calls them optional, other code calls them required; one library spells the id without "itau".
  headers: {
    'x-itau-apikey': '{clientId}',
    'x-itau-correlationid': '{uuid}',
    'x-correlationid': '{uuid}',
  },

  nothing: ['204'],

  // One address for each key; by e-mail in 2021 (bacen/pix-api, issue 371).
  callbackProbe: 'unknown',

  sources: [
    {
      kind: 'bank',
      where: 'tiagoskabrazil/pixrecebimentos-itau: OpenAPI 2.41.15 of the bank',
      date: 'read 2026-11',
    },
    { kind: 'third-party', where: 'ProjetoACBr/ACBr, ACBrPIXPSPItau.pas', date: '2025-09' },
    { kind: 'third-party', where: 'bacen/pix-api, issues 313 and 371', date: '2021' },
  ],
  unknown: [
    'the longest range of a list',
    'whether a callback is registered by a call today',
    'limits of calls',
    marksUnknown,
  ],
};
