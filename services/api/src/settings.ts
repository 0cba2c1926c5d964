import { portSetting, secondsSetting } from '@payments/runtime/settings';
import { sharedSettings } from '@payments/service/settings';
import { type Static, Type } from '@sinclair/typebox';

/** The API's environment variables. */
export const apiSettings = Type.Object({
  ...sharedSettings,
  PORT: portSetting(3000, 'Port of the public listener'),
  ADMIN_PORT: portSetting(3001, 'Port of the admin listener'),
  ADMIN_KEY: Type.String({
    minLength: 8,
    description: 'Key of the admin API and the panel; long and random',
  }),
  ADMIN_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s?#]+$',
      description:
        'Address of the panel in browsers. If it is https, the panel’s cookies need TLS. Without it, `PUBLIC_URL` decides',
    }),
  ),
  CHARGE_EXPIRES_IN_SECONDS: secondsSetting(86_400, 'Time during which a charge can be paid'),
  RATE_LIMIT_PER_MINUTE: Type.Integer({
    minimum: 0,
    default: 60_000,
    description:
      'Requests per minute and store, in each process. One address may send a tenth of it with unknown tokens or ' +
      'wrong admin keys. 0 turns the limits off, except for wrong admin keys: 1000 at most',
  }),
  TRUST_PROXY: Type.Optional(
    Type.String({
      description:
        'Proxies whose `X-Forwarded-*` headers are trusted: addresses or CIDRs, comma-separated, or a number of hops. ' +
        'Limits per address use the forwarded address. Without it, no proxy is trusted',
    }),
  ),
  QR_IMAGES_PER_MINUTE: Type.Integer({
    minimum: 0,
    default: 300,
    description:
      'New QR images per minute and address, in each process. Images in memory do not count. 0 turns the limit off',
  }),
  SHUTDOWN_DELAY_MS: Type.Integer({
    minimum: 0,
    maximum: 60_000,
    default: 0,
    description: 'Time that a stopping process still serves, so that load balancers can take it out',
  }),
  DOCS_TOKEN_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'JSON file whose `token` the docs page shows to everyone. For demonstrations only',
    }),
  ),
});

export type ApiSettings = Static<typeof apiSettings>;
