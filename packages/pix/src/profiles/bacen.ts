import type { Profile } from './profile.ts';

/** The Central Bank's text. Other profiles replace what they know better. */
export const bacen: Profile = {
  psp: 'bacen',
  name: 'API Pix',
  production: null,
  sandbox: null,
  tokenPath: './oauth/token',
  needs: ['secret'],

  credentials: 'basic',
  tokenFormat: 'form',
  grantIn: 'body',
  scopes: ['cob.write', 'cob.read', 'pix.write', 'pix.read', 'webhook.write', 'webhook.read'],

  headers: {},
  query: {},
  paths: {},

  missing: ['404'],
  denied: ['401', '403'],
  nothing: [],
  codeFields: ['pixCopiaECola'],
  codeLocationDiffers: false,

  // The document sets no limit. Every bank with a known limit lists four days.
  listDays: 4,
  pageSize: 100,
  listLagSeconds: 0,
  listLacksTxid: false,

  callbackHeaders: {},
  callbackSuffix: '/pix',
  callbackProbe: 'none',
  callsPerMinute: null,

  sources: [{ kind: 'bank', where: 'bacen/pix-api, openapi.yaml, tag 2.9.0', date: 'read 2026-11' }],
  unknown: [],
};
