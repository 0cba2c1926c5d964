import type { Queryable } from '../connection.ts';
import type { Selected } from '../schema.ts';
import { isOfKind, type KindFilter } from '../stores/kinds.ts';

const columns = ['id', 'name', 'role', 'storeId', 'createdAt', 'expiresAt', 'lastUsedAt'] as const;

/** A program's key without its secret; `lastUsedAt` is exact to about a minute. */
export type Key = Selected<'keys', typeof columns>;

export type NewKey = Omit<Key, 'lastUsedAt'> & { hash: Buffer };

export async function insertKey(trx: Queryable, key: NewKey): Promise<void> {
  await trx.insertInto('keys').values(key).execute();
}

/** @returns the keys that were not deleted, oldest first */
export async function listKeys(db: Queryable, { test }: KindFilter): Promise<Key[]> {
  return db
    .selectFrom('keys')
    .select(columns)
    .where('deletedAt', 'is', null)
    .where(isOfKind(test, { store: 'storeId' }))
    .orderBy('id')
    .execute();
}

/** @returns the key with this hash, unless it was deleted or has expired */
export async function findKey(db: Queryable, hash: Buffer, now: Date): Promise<Key | undefined> {
  return db
    .selectFrom('keys')
    .select(columns)
    .where('hash', '=', hash)
    .where('deletedAt', 'is', null)
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)]))
    .executeTakeFirst();
}

/** Records a use, unless one of the last minute is recorded. */
export async function recordKeyUse(db: Queryable, { id, lastUsedAt }: Key, now: Date): Promise<void> {
  if (lastUsedAt && now.getTime() - lastUsedAt.getTime() < 60_000) return;
  await db.updateTable('keys').set({ lastUsedAt: now }).where('id', '=', id).execute();
}

/** @returns the deleted key, or undefined if there is none; its row stays, since the record names it */
export async function deleteKey(
  trx: Queryable,
  id: string,
  now: Date,
): Promise<Pick<Key, 'name' | 'storeId'> | undefined> {
  return trx
    .updateTable('keys')
    .set({ deletedAt: now })
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .returning(['name', 'storeId'])
    .executeTakeFirst();
}
