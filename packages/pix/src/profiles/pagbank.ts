import { bacen } from './bacen.ts';
import { marksUnknown, type Profile } from './profile.ts';

/** PagBank (PagSeguro). */
export const pagbank: Profile = {
  ...bacen,
  psp: 'pagbank',
  name: 'PagBank',
  production: {
    url: 'https://secure.api.pagseguro.com/instant-payments',
    tokenUrl: 'https://secure.api.pagseguro.com/pix/oauth2',
  },
  sandbox: {
    url: 'https://secure.sandbox.api.pagseguro.com/instant-payments',
    tokenUrl: 'https://secure.sandbox.api.pagseguro.com/pix/oauth2',
  },
  tokenPath: '/pix/oauth2',
  needs: ['secret', 'certificate'],

  tokenFormat: 'json',
  // One application was given `webhook.*`, others have none to ask for (`PIX_SCOPES`). Lists find Pix without a callback.
  scopes: ['cob.write', 'cob.read', 'pix.write', 'pix.read'],

  // Its errors are worded as Efí's.
  missing: ['404', '400:_nao_encontrad'],
  codeLocationDiffers: true,

  callbackSuffix: 'unknown',
  callbackProbe: 'unknown',

  sources: [
    { kind: 'third-party', where: 'ProjetoACBr/ACBr, ACBrPIXPSPPagSeguro.pas', date: 'read 2026-11' },
    {
      kind: 'third-party',
      where: 'a Ruby client of secure.api.pagseguro.com in a public repository',
      date: 'read 2026-11',
    },
    {
      kind: 'third-party',
      where: 'developer.pagbank.com.br/discuss: a callback refused with 400',
      date: '2022-06',
    },
  ],
  unknown: ['the longest range of a list', 'all of the callback', 'limits of calls', marksUnknown],
};
