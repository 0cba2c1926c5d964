import { readFileSync } from 'node:fs';
import { mailSettings, noticeSettings } from '@payments/notices/settings';
import { portSetting, secondsSetting } from '@payments/runtime/settings';
import { sharedSettings } from '@payments/startup/settings';
import { deliverySettings } from '@payments/webhooks/settings';
import { type Static, Type } from '@sinclair/typebox';

/** The dispatcher's settings. */
export const dispatcherSettings = Type.Object({
  ...sharedSettings,
  ...deliverySettings,
  ...mailSettings,
  ...noticeSettings,
  PORT: portSetting(3002, 'Port of health checks and metrics'),
  PERSONAL_DATA_DAYS: Type.Integer({
    minimum: 7,
    maximum: 36_500,
    default: 1_825,
    description:
      'After how many days e-mail, observation and description of a payment are erased, and what receivers answered; ' +
      'events leave JetStream after seven',
  }),
  TEST_DATA_DAYS: Type.Integer({
    minimum: 8,
    maximum: 36_500,
    default: 90,
    description: 'After how many days payments of test stores are erased whole, once nothing of them is open',
  }),
  SCAN_INTERVAL_SECONDS: secondsSetting(10, 'Pause between two runs of each timed scan'),
});

export type DispatcherSettings = Static<typeof dispatcherSettings>;

// One folder up from src/ and from dist/ alike: a built program lies directly in dist/.
const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(manifest) as { version: string };

/** The `User-Agent` of webhooks: receivers filter and log by it. */
export const userAgent = `public-payments/${version}`;
