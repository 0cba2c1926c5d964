import type { WebhookSecrets } from '@payments/database/stores/webhook-secrets';
import { errors } from '../../errors/errors.ts';

/**
 * @returns a store's secrets in force, as the admin API shows them
 * @throws ApiError 404 for an unknown store
 */
export function webhookSecretView(secrets: WebhookSecrets | undefined) {
  if (!secrets) throw errors.storeNotFound();
  const { current: secret, previous: previousSecret, previousUntil } = secrets;
  return { secret, previousSecret, previousUntil };
}
