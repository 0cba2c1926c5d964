import type { Selectable, Updateable } from 'kysely';
import type { Queryable } from './connection.ts';
import type { StoresTable } from './schema.ts';

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

export type WebhookSecrets = { current: string; previous: string | null; previousUntil: Date | null };

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

export async function insertStore(db: Queryable, store: NewStore): Promise<Store> {
  const row = await db
    .insertInto('stores')
    .values({
      id: store.id,
      name: store.name,
      fee_ppm: store.feePpm,
      fee_fixed: store.feeFixed,
      max_amount: store.maxAmount,
      review_above: store.reviewAbove,
      webhook_secret: store.webhookSecret,
      previous_webhook_secret: null,
      previous_webhook_secret_until: null,
      created_at: store.createdAt,
    })
    .returning(storeColumns)
    .executeTakeFirstOrThrow();
  return toStore(row);
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

/** Sets what is given and leaves the rest. @returns the store, or undefined when there is none */
export async function updateStore(
  db: Queryable,
  id: string,
  change: StoreChange,
): Promise<Store | undefined> {
  const set = columnsOf(change);
  if (Object.keys(set).length === 0) return findStore(db, id);
  const row = await db
    .updateTable('stores')
    .set(set)
    .where('id', '=', id)
    .returning(storeColumns)
    .executeTakeFirst();
  return row && toStore(row);
}

export async function findWebhookSecrets(db: Queryable, id: string): Promise<WebhookSecrets | undefined> {
  const row = await db
    .selectFrom('stores')
    .select(['webhook_secret', 'previous_webhook_secret', 'previous_webhook_secret_until'])
    .where('id', '=', id)
    .executeTakeFirst();
  return (
    row && {
      current: row.webhook_secret,
      previous: row.previous_webhook_secret,
      previousUntil: row.previous_webhook_secret_until,
    }
  );
}

/** Puts a new secret in force; the one before goes on signing beside it until `previousUntil`. */
export async function rotateWebhookSecret(
  db: Queryable,
  id: string,
  { secret, previousUntil }: { secret: string; previousUntil: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('stores')
    .set((eb) => ({
      previous_webhook_secret: eb.ref('webhook_secret'),
      previous_webhook_secret_until: previousUntil,
      webhook_secret: secret,
    }))
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
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
