import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';
import { secretsInForce } from './webhook-secret.ts';

/**
 * @returns a store's secrets in force, as the admin API shows them
 * @throws ApiError 404 for an unknown store
 */
export async function webhookSecretView(context: ApiContext, storeId: string) {
  const secrets = await secretsInForce(context, storeId);
  if (!secrets) throw errors.storeNotFound();
  const { current: secret, previous: previousSecret, previousUntil } = secrets;
  return { secret, previousSecret, previousUntil };
}
