import { portSetting, settings } from '@payments/runtime/settings';
import { type Static, Type } from '@sinclair/typebox';

/** What the API reads from its environment (design 6). */
export const apiSettings = Type.Object({
  PORT: portSetting(3000, 'Port of the public listener'),
  ADMIN_PORT: portSetting(3001, 'Port of the admin listener'),
  HOST: settings.HOST,
  PUBLIC_URL: settings.PUBLIC_URL,
  ADMIN_KEY: settings.ADMIN_KEY,
  DATABASE_URL: settings.DATABASE_URL,
  DATABASE_POOL_SIZE: settings.DATABASE_POOL_SIZE,
  NATS_URL: settings.NATS_URL,
  NATS_STREAM: settings.NATS_STREAM,
  LOG_LEVEL: settings.LOG_LEVEL,
  PIX_URL: settings.PIX_URL,
  PIX_CLIENT_ID: settings.PIX_CLIENT_ID,
  PIX_CLIENT_SECRET: settings.PIX_CLIENT_SECRET,
  PIX_TOKEN_URL: settings.PIX_TOKEN_URL,
  PIX_KEY: settings.PIX_KEY,
  PIX_MERCHANT_NAME: settings.PIX_MERCHANT_NAME,
  PIX_MERCHANT_CITY: settings.PIX_MERCHANT_CITY,
  PIX_CERT_FILE: settings.PIX_CERT_FILE,
  PIX_KEY_FILE: settings.PIX_KEY_FILE,
  PIX_CA_FILE: settings.PIX_CA_FILE,
  CHARGE_EXPIRES_IN_SECONDS: settings.CHARGE_EXPIRES_IN_SECONDS,
  WEBHOOK_ALLOW_PRIVATE: settings.WEBHOOK_ALLOW_PRIVATE,
  RATE_LIMIT_PER_MINUTE: settings.RATE_LIMIT_PER_MINUTE,
  SHUTDOWN_DELAY_MS: settings.SHUTDOWN_DELAY_MS,
});

export type ApiSettings = Static<typeof apiSettings>;
