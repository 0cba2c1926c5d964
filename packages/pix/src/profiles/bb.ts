import { bacen } from './bacen.ts';
import { marksUnknown, type Profile } from './profile.ts';

/** Banco do Brasil. An empty list is a 404, and a range of five days is refused. */
export const bb: Profile = {
  ...bacen,
  psp: 'bb',
  name: 'Banco do Brasil',
  production: { url: 'https://api-pix.bb.com.br/pix/v2', tokenUrl: 'https://oauth.bb.com.br/oauth/token' },
  sandbox: { url: 'https://api.hm.bb.com.br/pix/v2', tokenUrl: 'https://oauth.hm.bb.com.br/oauth/token' },
  tokenPath: '/oauth/token',
  needs: ['secret', 'appKey', 'certificate'],

  // The application's key of the developers' portal; `X-Developer-Application-Key` is the same as a header.
  query: { 'gw-dev-app-key': '{appKey}' },

  // "Não há informações para os dados informados."
  nothing: ['404:4769515'],
  // The second one in version 1 and in the sandbox.
  codeFields: ['pixCopiaECola', 'textoImagemQRcode'],

  // The limit is "under five days". The bank may refuse an end in the future.
  listDays: 4,
  listLagSeconds: 30,

  callbackProbe: 'unknown',

  sources: [
    { kind: 'third-party', where: 'ProjetoACBr/ACBr, ACBrPIXPSPBancoDoBrasil.pas', date: '2025-06' },
    { kind: 'third-party', where: 'imobanco/bb-wrapper, docs/pix', date: 'read 2026-11' },
    { kind: 'third-party', where: 'laddertech/pypix-api, banks/bb.py', date: 'read 2026-11' },
  ],
  unknown: ['how the callback is tried when it is registered', 'limits of calls', marksUnknown],
};
