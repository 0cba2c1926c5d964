import { pixSettings } from '@payments/pix/settings';
import { processSettings } from '@payments/runtime/settings';
import { settlementSettings } from '@payments/settlement/settings';
import { tracingSettings } from '@payments/tracing/settings';
import { addressSettings } from '@payments/webhooks/settings';
import type { Static, TObject } from '@sinclair/typebox';

/** The settings of both services. */
export const sharedSettings = {
  ...processSettings,
  ...pixSettings,
  ...settlementSettings,
  ...addressSettings,
  ...tracingSettings,
};

export type SharedSettings = Static<TObject<typeof sharedSettings>>;
