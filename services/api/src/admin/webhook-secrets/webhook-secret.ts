import { type Author, recordChange } from '@payments/database/operations/changes';
import {
  findWebhookSecrets,
  rotateWebhookSecret,
  type WebhookSecrets,
} from '@payments/database/stores/webhook-secrets';
import { newWebhookSecret } from '@payments/webhooks/signature';
import type { ApiContext } from '../../context.ts';

const overlapMs = 24 * 60 * 60_000;

type Context = Pick<ApiContext, 'db' | 'now' | 'secrets'>;

/** @returns the secrets that sign a store's webhooks now, or undefined for an unknown store */
export async function secretsInForce(
  { db, now, secrets }: Context,
  storeId: string,
): Promise<WebhookSecrets | undefined> {
  const stored = await findWebhookSecrets(db, storeId);
  if (!stored) return undefined;
  const { previous, previousUntil } = stored;
  const current = secrets.open(stored.current);
  const isOver = previous === null || previousUntil === null || previousUntil <= now();
  if (isOver) return { current, previous: null, previousUntil: null };
  return { current, previous: secrets.open(previous), previousUntil };
}

/**
 * Records who sees a store's secrets.
 * @returns the secrets that sign its webhooks now, or undefined for an unknown store
 */
export async function showSecrets(
  context: Context,
  storeId: string,
  by: Author,
): Promise<WebhookSecrets | undefined> {
  const secrets = await secretsInForce(context, storeId);
  if (secrets)
    await recordChange(context.db, by, { action: 'webhook_secret.shown', at: context.now(), storeId });
  return secrets;
}

/**
 * Puts a new secret in force. The previous one signs beside it for 24 hours (Contract: signature).
 * @returns true if the store exists
 */
export async function renewSecret(
  { db, now, secrets }: Context,
  storeId: string,
  by: Author,
): Promise<boolean> {
  const at = now();
  const previousUntil = new Date(at.getTime() + overlapMs);
  return rotateWebhookSecret(
    db,
    storeId,
    { secret: secrets.seal(newWebhookSecret()), previousUntil, now: at },
    by,
  );
}
