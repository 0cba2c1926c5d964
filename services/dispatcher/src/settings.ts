import { pixSettings } from '@payments/pix/settings';
import { portSetting, settings, sharedSettings } from '@payments/runtime/settings';
import { type Static, Type } from '@sinclair/typebox';

/** What the dispatcher reads from its environment (design 6). */
export const dispatcherSettings = Type.Object({
  ...sharedSettings,
  ...pixSettings,
  PORT: portSetting(3002, 'Port of health and metrics'),
  REVIEW_TIMEOUT_SECONDS: settings.REVIEW_TIMEOUT_SECONDS,
  SCAN_INTERVAL_SECONDS: settings.SCAN_INTERVAL_SECONDS,
  WEBHOOK_TIMEOUT_MS: settings.WEBHOOK_TIMEOUT_MS,
  WEBHOOK_RETRY_SECONDS: settings.WEBHOOK_RETRY_SECONDS,
  RETENTION_DAYS: settings.RETENTION_DAYS,
  WEBHOOK_CONCURRENCY: settings.WEBHOOK_CONCURRENCY,
  WEBHOOK_CONCURRENCY_PER_ENDPOINT: settings.WEBHOOK_CONCURRENCY_PER_ENDPOINT,
});

export type DispatcherSettings = Static<typeof dispatcherSettings>;
