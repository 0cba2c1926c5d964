import type { Queryable } from '../connection.ts';
import { type Author, changeOnRecord } from '../operations/changes.ts';

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

/** @returns the secret of the newest store as stored, or undefined if there is no store */
export async function findNewestWebhookSecret(db: Queryable): Promise<string | undefined> {
  const newest = db.selectFrom('stores').select('webhookSecret as secret').orderBy('id', 'desc').limit(1);
  return (await newest.executeTakeFirst())?.secret;
}

/** Sets a new secret of a store, if there is such a store. The previous one also signs until `previousUntil`. */
export async function rotateWebhookSecret(
  db: Queryable,
  id: string,
  { secret, previousUntil, now }: { secret: string; previousUntil: Date; now: Date },
  by: Author,
): Promise<void> {
  await changeOnRecord(db, by, async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('stores')
      .set((eb) => ({
        previousWebhookSecret: eb.ref('webhookSecret'),
        previousWebhookSecretUntil: previousUntil,
        webhookSecret: secret,
      }))
      .where('id', '=', id)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return undefined;
    const to = { previousUntil: previousUntil.toISOString() };
    return { action: 'webhook_secret.rotated', at: now, storeId: id, to };
  });
}
