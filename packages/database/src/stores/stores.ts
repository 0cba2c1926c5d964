import type { StoreChoices } from '@payments/domain/store-choices';
import type { Queryable } from '../connection.ts';
import { anyOf, given } from '../filters.ts';
import type { Selected } from '../schema.ts';
import type { KindFilter } from './kinds.ts';

const storeColumns = [
  'id',
  'name',
  'active',
  'feePpm',
  'feeFixed',
  'maxAmount',
  'reviewAbove',
  'banks',
  'test',
  'events',
  'tokenMay',
  'refundLimitPerDay',
  'createdAt',
] as const;

export type Store = Selected<'stores', typeof storeColumns>;
/** A new store; without choices of its own, it has none of what is beyond the contract. */
export type NewStore = Omit<Store, 'active' | 'test' | keyof StoreChoices> &
  Partial<StoreChoices> & { test?: boolean; webhookSecret: string };
export type StoreChange = Partial<Omit<Store, 'id' | 'test' | 'createdAt'>>;

export async function insertStore(db: Queryable, store: NewStore): Promise<Store> {
  return db.insertInto('stores').values(store).returning(storeColumns).executeTakeFirstOrThrow();
}

export async function findStore(db: Queryable, id: string): Promise<Store | undefined> {
  return db.selectFrom('stores').select(storeColumns).where('id', '=', id).executeTakeFirst();
}

/** @returns the names of these stores, by their ids */
export async function listStoreNames(db: Queryable, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.selectFrom('stores').select(['id', 'name']).where('id', '=', anyOf(ids)).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** @returns whether there is any test store */
export async function hasTestStores(db: Queryable): Promise<boolean> {
  const found = db.selectFrom('stores').select('id').where('test', '=', true).limit(1);
  return (await found.executeTakeFirst()) !== undefined;
}

/** @returns every store, those of a kind, or only the given one, oldest first */
export async function listStores(
  db: Queryable,
  { storeId: id, test }: KindFilter & { storeId?: string } = {},
): Promise<Store[]> {
  const stores = db.selectFrom('stores').select(storeColumns).orderBy('id');
  return stores.where(({ and }) => and(given({ id, test }))).execute();
}

/** @returns the store, which nobody else changes until the transaction ends; undefined if there is none */
export async function lockStore(trx: Queryable, id: string): Promise<Store | undefined> {
  return trx
    .selectFrom('stores')
    .select(storeColumns)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function updateStore(trx: Queryable, id: string, change: StoreChange): Promise<void> {
  await trx.updateTable('stores').set(change).where('id', '=', id).execute();
}
