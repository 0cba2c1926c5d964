import { bankSettings } from '@payments/pix/bank-settings';
import { processSettings } from '@payments/runtime/settings';
import { settlementSettings } from '@payments/settlement/settings';
import { tracingSettings } from '@payments/tracing/settings';
import { addressSettings } from '@payments/webhooks/settings';
import type { Static, TObject } from '@sinclair/typebox';

/** The settings of both services. */
export const sharedSettings = {
  ...processSettings,
  ...bankSettings,
  ...settlementSettings,
  ...addressSettings,
  ...tracingSettings,
};

export type SharedSettings = Static<TObject<typeof sharedSettings>>;
