import { bankSettings } from '@payments/pix/bank-settings';
import { processSettings } from '@payments/runtime/settings';
import { settlementSettings } from '@payments/settlement/settings';
import { tracingSettings } from '@payments/tracing/settings';
import { addressSettings } from '@payments/webhooks/settings';
import { type Static, type TObject, Type } from '@sinclair/typebox';

/** The settings of both services. */
export const sharedSettings = {
  ...processSettings,
  ...bankSettings,
  ...settlementSettings,
  ...addressSettings,
  ...tracingSettings,
  ADMIN_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s?#/@]+/?$',
      description:
        'Where people open the panel, and where invitations and notices lead, without a path; its cookies need TLS where ' +
        'it is https. Without it `PUBLIC_URL` takes its place: right only where the panel is reached there',
    }),
  ),
};

export type SharedSettings = Static<TObject<typeof sharedSettings>>;
