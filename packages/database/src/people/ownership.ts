import type { Queryable } from '../connection.ts';

/** @returns whether there is such a payment or delivery, and it is the store's */
export async function isOfStore(
  db: Queryable,
  table: 'payments' | 'deliveries',
  { id, storeId }: { id: string; storeId: string },
): Promise<boolean> {
  const row = await db
    .selectFrom(table)
    .select('id')
    .where('id', '=', id)
    .where('storeId', '=', storeId)
    .executeTakeFirst();
  return row !== undefined;
}
