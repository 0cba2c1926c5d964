import type { Selectable, Updateable } from 'kysely';
import type { Queryable } from '../connection.ts';
import { type Author, recordChange, type Values } from '../operations/changes.ts';
import type { StoresTable } from '../schema.ts';
import { inTransaction } from '../transaction.ts';

export type Store = {
  id: string;
  name: string;
  active: boolean;
  feePpm: number | null;
  feeFixed: number | null;
  maxAmount: number;
  reviewAbove: number | null;
  createdAt: Date;
};

export type NewStore = Omit<Store, 'active'> & { webhookSecret: string };
export type StoreChange = Partial<Omit<Store, 'id' | 'createdAt'>>;

const storeColumns = [
  'id',
  'name',
  'active',
  'fee_ppm',
  'fee_fixed',
  'max_amount',
  'review_above',
  'created_at',
] as const satisfies readonly (keyof StoresTable)[];

export async function insertStore(db: Queryable, store: NewStore, by: Author): Promise<Store> {
  return inTransaction(db, async (trx) => {
    const { id, name, feePpm, feeFixed, maxAmount, reviewAbove, webhookSecret, createdAt } = store;
    const row = await trx
      .insertInto('stores')
      .values({
        ...{
          id,
          name,
          fee_ppm: feePpm,
          fee_fixed: feeFixed,
          max_amount: maxAmount,
          review_above: reviewAbove,
        },
        webhook_secret: webhookSecret,
        previous_webhook_secret: null,
        previous_webhook_secret_until: null,
        created_at: createdAt,
      })
      .returning(storeColumns)
      .executeTakeFirstOrThrow();
    const to = { name, feePpm, feeFixed, maxAmount, reviewAbove };
    await recordChange(trx, by, { action: 'store.created', at: createdAt, storeId: id, to });
    return toStore(row);
  });
}

export async function findStore(db: Queryable, id: string): Promise<Store | undefined> {
  const row = await db.selectFrom('stores').select(storeColumns).where('id', '=', id).executeTakeFirst();
  return row && toStore(row);
}

/** @returns every store, oldest first */
export async function listStores(db: Queryable): Promise<Store[]> {
  const rows = await db.selectFrom('stores').select(storeColumns).orderBy('id').execute();
  return rows.map(toStore);
}

/**
 * Sets what is given and leaves the rest; what was so already is no change.
 * @returns the store, or undefined when there is none
 */
export async function updateStore(
  db: Queryable,
  id: string,
  change: StoreChange,
  { by, now }: { by: Author; now: Date },
): Promise<Store | undefined> {
  return inTransaction(db, async (trx) => {
    const row = await trx
      .selectFrom('stores')
      .select(storeColumns)
      .where('id', '=', id)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!row) return undefined;
    const store = toStore(row);
    const { from, to } = differences(store, change);
    if (Object.keys(to).length === 0) return store;
    await trx.updateTable('stores').set(columnsOf(to)).where('id', '=', id).execute();
    await recordChange(trx, by, { action: 'store.changed', at: now, storeId: id, from, to });
    return { ...store, ...to };
  });
}

function differences(store: Store, change: StoreChange): { from: Values; to: StoreChange & Values } {
  const changed = Object.entries(change).filter(
    ([name, value]) => value !== store[name as keyof StoreChange],
  );
  const before = changed.map(([name]) => [name, store[name as keyof StoreChange]]);
  return { from: Object.fromEntries(before), to: Object.fromEntries(changed) };
}

function columnsOf(change: StoreChange): Updateable<StoresTable> {
  const set: Updateable<StoresTable> = {};
  if (change.name !== undefined) set.name = change.name;
  if (change.active !== undefined) set.active = change.active;
  if (change.feePpm !== undefined) set.fee_ppm = change.feePpm;
  if (change.feeFixed !== undefined) set.fee_fixed = change.feeFixed;
  if (change.maxAmount !== undefined) set.max_amount = change.maxAmount;
  if (change.reviewAbove !== undefined) set.review_above = change.reviewAbove;
  return set;
}

export function toStore(row: Pick<Selectable<StoresTable>, (typeof storeColumns)[number]>): Store {
  return {
    id: row.id,
    name: row.name,
    active: row.active,
    feePpm: row.fee_ppm,
    feeFixed: row.fee_fixed,
    maxAmount: row.max_amount,
    reviewAbove: row.review_above,
    createdAt: row.created_at,
  };
}
