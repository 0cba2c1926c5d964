import type { PaymentStatus } from '@payments/domain/status';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../connection.ts';

/**
 * A connection counts in a shard of its own. Otherwise all who create or move payments of one store would wait for one
 * another's commits, on the one row of its count.
 */
const shard = sql`(pg_backend_pid() % 32)`;

/** Which payments: of one store, in one status; all of what is not given. */
export type PaymentFilter = { storeId?: string | undefined; status?: PaymentStatus | undefined };

/**
 * Counts what the statement around it does.
 * @param changes selects `store_id`, `status` and `change`, by how many their number changes
 */
export function countChanges(changes: RawBuilder<unknown>): RawBuilder<Record<string, never>> {
  // Rows are locked in one order, so that two statements never wait for each other in a circle.
  return sql`
    (insert into payment_counts as known (store_id, status, shard, payments)
    select store_id, status, ${shard}, change from (${changes}) changes
    order by store_id, status
    on conflict (store_id, status, shard) do update set payments = known.payments + excluded.payments)`;
}

/** @returns how many payments match: a sum of counts, which costs the same for any number of payments */
export async function countPayments(db: Queryable, { storeId, status }: PaymentFilter): Promise<number> {
  const { total } = await db
    .selectFrom('payment_counts')
    .select(({ fn }) => fn.sum<string | null>('payments').as('total'))
    .$if(storeId !== undefined, (counts) => counts.where('store_id', '=', storeId as string))
    .$if(status !== undefined, (counts) => counts.where('status', '=', status as PaymentStatus))
    .executeTakeFirstOrThrow();
  return Number(total ?? 0);
}
