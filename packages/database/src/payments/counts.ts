import type { PaymentStatus } from '@payments/domain/status';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { given } from '../filters.ts';

/**
 * Each connection counts in its own shard. With one row per count, transactions on one store's payments would wait for
 * each other's commits.
 */
const shard = sql`(pg_backend_pid() % 32)`;

/** Selects payments of a store, in a status; all of those without the filter. */
export type PaymentFilter = { storeId?: string | undefined; status?: PaymentStatus | undefined };

/**
 * Updates the counts for the changes of the surrounding statement.
 * @param changes selects `store_id`, `status` and `change`, the difference
 */
export function countChanges(changes: RawBuilder<unknown>): RawBuilder<Record<string, never>> {
  // All statements lock rows in one order, which prevents deadlocks.
  return sql`
    (insert into payment_counts as known (store_id, status, shard, payments)
    select store_id, status, ${shard}, change from (${changes}) changes
    order by store_id, status
    on conflict (store_id, status, shard) do update set payments = known.payments + excluded.payments)`;
}

/** @returns how many payments match: a sum of counts, at the same cost for any number of payments */
export async function countPayments(db: Queryable, { storeId, status }: PaymentFilter): Promise<number> {
  const { total } = await db
    .selectFrom('paymentCounts')
    .select(({ fn }) => fn.sum<string | null>('payments').as('total'))
    .where(({ and }) => and(given({ storeId, status })))
    .executeTakeFirstOrThrow();
  return Number(total ?? 0);
}
