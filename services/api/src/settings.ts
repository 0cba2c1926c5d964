import { pixSettings } from '@payments/pix/settings';
import { portSetting, settings, sharedSettings } from '@payments/runtime/settings';
import { type Static, Type } from '@sinclair/typebox';

const callbackFile = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

/** What the API reads from its environment (design 6). */
export const apiSettings = Type.Object({
  ...sharedSettings,
  ...pixSettings,
  PORT: portSetting(3000, 'Port of the public listener'),
  ADMIN_PORT: portSetting(3001, 'Port of the admin listener'),
  ADMIN_KEY: settings.ADMIN_KEY,
  ADMIN_URL: settings.ADMIN_URL,
  PIX_CALLBACK_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s?#]+$',
      description:
        'Where the bank reaches us, if not at `PUBLIC_URL`: a host of its own, where the bank comes with mTLS',
    }),
  ),
  PIX_CALLBACK_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description: 'Port of a listener for the callback alone; the public one then has no callback',
    }),
  ),
  PIX_CALLBACK_CERT_FILE: callbackFile(
    'Certificate of that listener, PEM; with it mTLS, without it plain http',
  ),
  PIX_CALLBACK_KEY_FILE: callbackFile("The certificate's key, PEM"),
  PIX_CALLBACK_CA_FILE: callbackFile("Authorities of the banks' certificates, PEM: nobody else gets in"),
  CHARGE_EXPIRES_IN_SECONDS: settings.CHARGE_EXPIRES_IN_SECONDS,
  REVIEW_TIMEOUT_SECONDS: settings.REVIEW_TIMEOUT_SECONDS,
  RATE_LIMIT_PER_MINUTE: settings.RATE_LIMIT_PER_MINUTE,
  TRUST_PROXY: settings.TRUST_PROXY,
  QR_IMAGES_PER_MINUTE: settings.QR_IMAGES_PER_MINUTE,
  SHUTDOWN_DELAY_MS: settings.SHUTDOWN_DELAY_MS,
  DOCS_TOKEN_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'JSON file whose `token` the docs page shows to everyone: for demonstrations only',
    }),
  ),
});

export type ApiSettings = Static<typeof apiSettings>;
