import { portSetting, secondsSetting } from '@payments/runtime/settings';
import { sharedSettings } from '@payments/service/settings';
import { deliverySettings } from '@payments/webhooks/settings';
import { type Static, Type } from '@sinclair/typebox';

/** The dispatcher's settings. */
export const dispatcherSettings = Type.Object({
  ...sharedSettings,
  ...deliverySettings,
  PORT: portSetting(3002, 'Port of health checks and metrics'),
  SCAN_INTERVAL_SECONDS: secondsSetting(10, 'Pause between two runs of each timed scan'),
});

export type DispatcherSettings = Static<typeof dispatcherSettings>;
