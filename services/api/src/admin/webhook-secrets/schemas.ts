import { Type } from '@sinclair/typebox';
import { timeOrNull } from '../shapes.ts';

const WebhookSecret = Type.Object(
  {
    secret: Type.String({ description: 'Signs the store’s webhooks (Standard Webhooks).' }),
    previousSecret: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The one before, which signs beside it until `previousUntil`.',
    }),
    previousUntil: timeOrNull('When the one before stops signing; null where it has.'),
  },
  { $id: 'WebhookSecret', description: 'The secrets in force for a store’s webhooks.' },
);

export const webhookSecretSchemas = [WebhookSecret];
