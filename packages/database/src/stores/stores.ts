import type { Queryable } from '../connection.ts';
import { type Author, differences, recordChange } from '../record/changes.ts';
import type { Selected } from '../schema.ts';
import { inTransaction } from '../transaction.ts';

const storeColumns = [
  'id',
  'name',
  'active',
  'feePpm',
  'feeFixed',
  'maxAmount',
  'reviewAbove',
  'banks',
  'createdAt',
] as const;

export type Store = Selected<'stores', typeof storeColumns>;
export type NewStore = Omit<Store, 'active'> & { webhookSecret: string };
export type StoreChange = Partial<Omit<Store, 'id' | 'createdAt'>>;

export async function insertStore(db: Queryable, store: NewStore, by: Author): Promise<Store> {
  return inTransaction(db, async (trx) => {
    const { id, webhookSecret: _, createdAt, ...to } = store;
    const row = await trx
      .insertInto('stores')
      .values(store)
      .returning(storeColumns)
      .executeTakeFirstOrThrow();
    await recordChange(trx, by, { action: 'store.created', at: createdAt, storeId: id, to });
    return row;
  });
}

export async function findStore(db: Queryable, id: string): Promise<Store | undefined> {
  return db.selectFrom('stores').select(storeColumns).where('id', '=', id).executeTakeFirst();
}

/** @returns every store, or only the given one, oldest first */
export async function listStores(db: Queryable, only: string | null = null): Promise<Store[]> {
  const stores = db.selectFrom('stores').select(storeColumns).orderBy('id');
  return (only === null ? stores : stores.where('id', '=', only)).execute();
}

/**
 * Sets the given fields and leaves the others. An equal value is no change.
 * @returns the store, or undefined if there is none
 */
export async function updateStore(
  db: Queryable,
  id: string,
  change: StoreChange,
  { by, now }: { by: Author; now: Date },
): Promise<Store | undefined> {
  return inTransaction(db, async (trx) => {
    const store = await trx
      .selectFrom('stores')
      .select(storeColumns)
      .where('id', '=', id)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!store) return undefined;
    const after = { ...store, ...change };
    const { from, to } = differences(store, after);
    if (Object.keys(to).length === 0) return store;
    await trx.updateTable('stores').set(to).where('id', '=', id).execute();
    await recordChange(trx, by, { action: 'store.changed', at: now, storeId: id, from, to });
    return after;
  });
}
