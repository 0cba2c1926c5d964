import type { Author } from '@payments/database/record/changes';
import {
  findWebhookSecrets,
  rotateWebhookSecret,
  type WebhookSecrets,
} from '@payments/database/stores/webhook-secrets';
import { webhookSecretOwner } from '@payments/service/stored-secrets';
import { newWebhookSecret } from '@payments/webhooks/signature';
import type { AdministrationContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { recordAct } from '../record/actions.ts';

const overlapMs = 24 * 60 * 60_000;

type Context = Pick<AdministrationContext, 'db' | 'now' | 'secrets'>;

/**
 * @returns the secrets that sign a store's webhooks now
 * @throws ApiError 404 for an unknown store
 */
export async function secretsInForce(
  { db, now, secrets }: Context,
  storeId: string,
): Promise<WebhookSecrets> {
  const stored = await findWebhookSecrets(db, storeId);
  if (!stored) throw errors.storeNotFound();
  const { previousSecret, previousUntil } = stored;
  const owner = webhookSecretOwner(storeId);
  const secret = secrets.open(stored.secret, owner);
  const isOver = previousSecret === null || previousUntil === null || previousUntil <= now();
  if (isOver) return { secret, previousSecret: null, previousUntil: null };
  return { secret, previousSecret: secrets.open(previousSecret, owner), previousUntil };
}

/** @returns the same, and records who sees them */
export async function showSecrets(context: Context, storeId: string, by: Author): Promise<WebhookSecrets> {
  const secrets = await secretsInForce(context, storeId);
  await recordAct(context, by, { action: 'webhook_secret.shown', storeId, kind: storeId });
  return secrets;
}

/**
 * Puts a new secret in force. The previous one signs beside it for 24 hours (Contract: signature).
 * @returns the secrets in force then
 * @throws ApiError 404 for an unknown store
 */
export async function renewSecret(context: Context, storeId: string, by: Author): Promise<WebhookSecrets> {
  const now = context.now();
  const previousUntil = new Date(now.getTime() + overlapMs);
  const secret = context.secrets.seal(newWebhookSecret(), webhookSecretOwner(storeId));
  await rotateWebhookSecret(context.db, storeId, { secret, previousUntil, now }, by);
  return secretsInForce(context, storeId);
}
