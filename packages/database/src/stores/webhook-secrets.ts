import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { everyRow } from '../filters.ts';

/** A store's signing secrets. The previous one signs too, until `previousUntil`. */
export type WebhookSecrets = { secret: string; previousSecret: string | null; previousUntil: Date | null };

/** @returns a store's secrets as stored, or undefined if there is no such store */
export async function findWebhookSecrets(db: Queryable, id: string): Promise<WebhookSecrets | undefined> {
  return db
    .selectFrom('stores')
    .select(['webhookSecret as secret', 'previousWebhookSecret as previousSecret'])
    .select('previousWebhookSecretUntil as previousUntil')
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Reads every stored secret, those before a rotation too, in pages. */
export async function* everyWebhookSecret(
  db: Queryable,
): AsyncGenerator<{ storeId: string; stored: string }> {
  const stores = db
    .selectFrom('stores')
    .select(['id', 'webhookSecret', 'previousWebhookSecret'])
    .orderBy('id');
  const rows = everyRow((after, limit) => stores.where('id', '>', after).limit(limit).execute());
  for await (const { id: storeId, webhookSecret, previousWebhookSecret } of rows) {
    yield { storeId, stored: webhookSecret };
    if (previousWebhookSecret !== null) yield { storeId, stored: previousWebhookSecret };
  }
}

/**
 * Stores a store's secret in another form, wherever the old form stands: a rotation meanwhile made the present secret
 * the previous one. Does nothing where it stands no more.
 */
export async function replaceWebhookSecret(
  db: Queryable,
  storeId: string,
  { was, becomes }: { was: string; becomes: string },
): Promise<void> {
  await sql`
    update stores set
      webhook_secret = case webhook_secret when ${was} then ${becomes} else webhook_secret end,
      previous_webhook_secret =
        case previous_webhook_secret when ${was} then ${becomes} else previous_webhook_secret end
    where id = ${storeId} and ${was} in (webhook_secret, previous_webhook_secret)`.execute(db);
}

/**
 * Sets a new secret of a store. The previous one also signs until `previousUntil`.
 * @returns false if there is no such store
 */
export async function rotateWebhookSecret(
  db: Queryable,
  id: string,
  { secret, previousUntil }: { secret: string; previousUntil: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('stores')
    .set((eb) => ({
      previousWebhookSecret: eb.ref('webhookSecret'),
      previousWebhookSecretUntil: previousUntil,
      webhookSecret: secret,
    }))
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
