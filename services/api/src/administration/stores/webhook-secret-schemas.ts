import { Type } from '@sinclair/typebox';
import { timeOrNull } from '../shapes.ts';

const WebhookSecret = Type.Object(
  {
    secret: Type.String({ description: 'Secret that signs the store’s webhooks (Standard Webhooks).' }),
    previousSecret: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Previous secret, which also signs until `previousUntil`.',
    }),
    previousUntil: timeOrNull('When the previous secret stops signing; null if there is none.'),
  },
  { $id: 'WebhookSecret', description: 'The secrets that sign a store’s webhooks now.' },
);

export const webhookSecretSchemas = [WebhookSecret];
