import type { Queryable } from '../connection.ts';
import { type Author, recordChange } from '../operations/changes.ts';
import type { Selected } from '../schema.ts';
import { inTransaction } from '../transaction.ts';

const columns = [
  'id',
  'name',
  'role',
  'store_id as storeId',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'last_used_at as lastUsedAt',
] as const;

/** A program's key without its secret; `lastUsedAt` is exact to about a minute. */
export type Key = Selected<'keys', typeof columns>;

export type NewKey = Omit<Key, 'lastUsedAt'> & { hash: Buffer };

/** @returns false if its store does not exist */
export async function insertKey(db: Queryable, key: NewKey, by: Author): Promise<boolean> {
  const { id, name, role, storeId, hash, createdAt: at, expiresAt } = key;
  return inTransaction(db, async (trx) => {
    if (storeId !== null) {
      const store = await trx.selectFrom('stores').select('id').where('id', '=', storeId).executeTakeFirst();
      if (!store) return false;
    }
    await trx
      .insertInto('keys')
      .values({ id, name, role, store_id: storeId, hash, created_at: at, expires_at: expiresAt })
      .execute();
    const to = { name, role, expiresAt: expiresAt?.toISOString() ?? null };
    await recordChange(trx, by, { action: 'key.created', at, storeId, subject: id, to });
    return true;
  });
}

/** @returns the keys that were not deleted, oldest first */
export async function listKeys(db: Queryable): Promise<Key[]> {
  return db.selectFrom('keys').select(columns).where('deleted_at', 'is', null).orderBy('id').execute();
}

/** @returns the key with this hash, unless it was deleted or has expired */
export async function findKey(db: Queryable, hash: Buffer, now: Date): Promise<Key | undefined> {
  return db
    .selectFrom('keys')
    .select(columns)
    .where('hash', '=', hash)
    .where('deleted_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirst();
}

/** Records a use, unless one of the last minute is recorded. */
export async function recordKeyUse(db: Queryable, id: string, at: Date): Promise<void> {
  const minuteAgo = new Date(at.getTime() - 60_000);
  await db
    .updateTable('keys')
    .set({ last_used_at: at })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', minuteAgo)]))
    .execute();
}

/** @returns false if there is no such key; a deleted one keeps its row, since the record names it */
export async function deleteKey(db: Queryable, id: string, now: Date, by: Author): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const key = await trx
      .updateTable('keys')
      .set({ deleted_at: now })
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .returning(['name', 'store_id as storeId'])
      .executeTakeFirst();
    if (!key) return false;
    const { name, storeId } = key;
    await recordChange(trx, by, { action: 'key.deleted', at: now, storeId, subject: id, from: { name } });
    return true;
  });
}
