import type { Queryable } from '../connection.ts';
import { anyOf } from '../filters.ts';

/** How people name a payment: its order, its customer and its amount in centavos. */
export type Order = { observation: string | null; email: string | null; amount: number };

/** @returns the orders of these payments, by id */
export async function findOrders(db: Queryable, ids: readonly string[]): Promise<Map<string, Order>> {
  const rows = await db
    .selectFrom('payments')
    .select(['id', 'observation', 'email', 'amount'])
    .where('id', '=', anyOf(ids))
    .execute();
  return new Map(rows.map(({ id, ...order }) => [id, order]));
}
