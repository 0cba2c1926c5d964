import type { Queryable } from '../connection.ts';
import { type Author, changeOnRecord } from '../operations/changes.ts';
import type { Selected } from '../schema.ts';

const columns = ['id', 'name', 'role', 'storeId', 'createdAt', 'expiresAt', 'lastUsedAt'] as const;

/** A program's key without its secret; `lastUsedAt` is exact to about a minute. */
export type Key = Selected<'keys', typeof columns>;

export type NewKey = Omit<Key, 'lastUsedAt'> & { hash: Buffer };

export async function insertKey(db: Queryable, key: NewKey, by: Author): Promise<void> {
  const { id, name, role, storeId, createdAt, expiresAt } = key;
  await changeOnRecord(db, by, async (trx) => {
    await trx.insertInto('keys').values(key).execute();
    const to = { name, role, expiresAt: expiresAt?.toISOString() ?? null };
    return { action: 'key.created', at: createdAt, storeId, subject: id, to };
  });
}

/** @returns the keys that were not deleted, oldest first */
export async function listKeys(db: Queryable): Promise<Key[]> {
  return db.selectFrom('keys').select(columns).where('deletedAt', 'is', null).orderBy('id').execute();
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

/** @returns false if there is no such key; a deleted one keeps its row, since the record names it */
export async function deleteKey(db: Queryable, id: string, now: Date, by: Author): Promise<boolean> {
  return changeOnRecord(db, by, async (trx) => {
    const key = await trx
      .updateTable('keys')
      .set({ deletedAt: now })
      .where('id', '=', id)
      .where('deletedAt', 'is', null)
      .returning(['name', 'storeId'])
      .executeTakeFirst();
    if (!key) return undefined;
    return { action: 'key.deleted', at: now, storeId: key.storeId, subject: id, from: { name: key.name } };
  });
}
