import { portSetting, settings } from '@payments/runtime/settings';
import { type Static, Type } from '@sinclair/typebox';

/** What the dispatcher reads from its environment (design 6). */
export const dispatcherSettings = Type.Object({
  PORT: portSetting(3002, 'Port of health and metrics'),
  HOST: settings.HOST,
  PUBLIC_URL: settings.PUBLIC_URL,
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
  REVIEW_TIMEOUT_SECONDS: settings.REVIEW_TIMEOUT_SECONDS,
  SCAN_INTERVAL_SECONDS: settings.SCAN_INTERVAL_SECONDS,
  WEBHOOK_TIMEOUT_MS: settings.WEBHOOK_TIMEOUT_MS,
  WEBHOOK_RETRY_SECONDS: settings.WEBHOOK_RETRY_SECONDS,
  WEBHOOK_ALLOW_PRIVATE: settings.WEBHOOK_ALLOW_PRIVATE,
  RETENTION_DAYS: settings.RETENTION_DAYS,
  WEBHOOK_CONCURRENCY: settings.WEBHOOK_CONCURRENCY,
  WEBHOOK_CONCURRENCY_PER_ENDPOINT: settings.WEBHOOK_CONCURRENCY_PER_ENDPOINT,
});

export type DispatcherSettings = Static<typeof dispatcherSettings>;
