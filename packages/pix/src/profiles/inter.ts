import { bacen } from './bacen.ts';
import { marksUnknown, type Profile } from './profile.ts';

/** Inter. It gives no token if one requested scope was not granted. */
export const inter: Profile = {
  ...bacen,
  psp: 'inter',
  name: 'Inter',
  production: {
    url: 'https://cdpj.partners.bancointer.com.br/pix/v2',
    tokenUrl: 'https://cdpj.partners.bancointer.com.br/oauth/v2/token',
  },
  sandbox: {
    url: 'https://cdpj-sandbox.partners.uatinter.co/pix/v2',
    tokenUrl: 'https://cdpj-sandbox.partners.uatinter.co/oauth/v2/token',
  },
  tokenPath: '/oauth/v2/token',
  needs: ['secret', 'certificate'],

  credentials: 'body',

  // Only where an application has several accounts (`PIX_ACCOUNT`).
  headers: { 'x-conta-corrente': '{account}' },

  // The official sample registers `https://host/pix` and serves `/pix` (2023).
  callbackSuffix: '',
  callbackProbe: 'unknown',

  // The bank allows 120: half for the API, half for the dispatcher.
  callsPerMinute: 60,

  sources: [
    { kind: 'bank', where: 'inter-co/pj-sdk-python', date: 'read 2026-11' },
    { kind: 'bank', where: 'inter-co/pj-webhook-server-java', date: '2023' },
    {
      kind: 'third-party',
      where: "the developers' portal, as text in a public repository",
      date: 'read 2026-11',
    },
  ],
  unknown: ['the longest range of a list', 'whether /pix is added to the address today', marksUnknown],
};
