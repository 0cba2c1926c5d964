import { portSetting, secondsSetting } from '@payments/runtime/settings';
import { sharedSettings } from '@payments/service/settings';
import { deliverySettings } from '@payments/webhooks/settings';
import { type Static, Type } from '@sinclair/typebox';

/** The dispatcher's settings. */
export const dispatcherSettings = Type.Object({
  ...sharedSettings,
  ...deliverySettings,
  PORT: portSetting(3002, 'Port of health checks and metrics'),
  PERSONAL_DATA_DAYS: Type.Integer({
    minimum: 7,
    default: 1_825,
    description:
      'After how many days e-mail and observation of a payment are erased, and what receivers answered; events leave ' +
      'JetStream after seven',
  }),
  SCAN_INTERVAL_SECONDS: secondsSetting(10, 'Pause between two runs of each timed scan'),
});

export type DispatcherSettings = Static<typeof dispatcherSettings>;
