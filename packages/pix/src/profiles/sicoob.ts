import { bacen } from './bacen.ts';
import { marksUnknown, type Profile } from './profile.ts';

/** Sicoob. There is no secret: the certificate, an e-CNPJ or e-CPF of type A1, proves who asks. */
export const sicoob: Profile = {
  ...bacen,
  psp: 'sicoob',
  name: 'Sicoob',
  production: {
    url: 'https://api.sicoob.com.br/pix/api/v2',
    tokenUrl: 'https://auth.sicoob.com.br/auth/realms/cooperado/protocol/openid-connect/token',
  },
  // The sandbox has no token address: its portal gives a token by hand.
  sandbox: null,
  tokenPath: '/auth/realms/cooperado/protocol/openid-connect/token',
  needs: ['certificate'],

  credentials: 'body',
  headers: { client_id: '{clientId}' },

  codeFields: ['pixCopiaECola', 'brcode'],

  callbackProbe: 'unknown',

  sources: [
    { kind: 'bank', where: "the developers' portal, as text in a public repository", date: 'read 2026-11' },
    { kind: 'third-party', where: 'SharpSistemas/SicoobAPI', date: 'read 2026-11' },
    { kind: 'third-party', where: 'ProjetoACBr/ACBr, ACBrPIXPSPSicoob.pas', date: '2024-11' },
  ],
  unknown: [
    'the longest range of a list',
    'how the callback is tried',
    'limits of calls of Pix',
    marksUnknown,
  ],
};
