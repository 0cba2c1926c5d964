import type { PaymentStatus } from '@payments/domain/status';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from './connection.ts';

/**
 * The shard that a connection counts in. Two transactions on one row wait for each other's commit; those of one server
 * have process ids that follow one another, so they rarely share a shard, and far more rarely than by chance.
 */
const shard = sql`(pg_backend_pid() % 128)`;

/** Which payments: of one store, in one status; all of what is not given. */
export type PaymentFilter = { storeId?: string; status?: PaymentStatus };

/** How new payments are counted: one more of the `with` list that inserts them, fed by its `payment` (id, store, status). */
export function countNewPayments(): RawBuilder<unknown> {
  return sql`counted as (
    insert into payment_counts as c (store_id, status, shard, payments)
    select store_id, status, ${shard}, count(*) from payment group by store_id, status order by store_id, status
    on conflict (store_id, status, shard) do update set payments = c.payments + excluded.payments
  )`;
}

/** Counts a payment's move. Rows are locked in the order of their statuses, so that two moves never wait in a circle. */
export async function countMove(
  trx: Queryable,
  { storeId, from, to }: { storeId: string; from: PaymentStatus; to: PaymentStatus },
): Promise<void> {
  const [first, second] = [
    { status: from, change: -1 },
    { status: to, change: 1 },
  ].sort((a, b) => (a.status < b.status ? -1 : 1));
  await sql`
    insert into payment_counts as c (store_id, status, shard, payments)
    values (${storeId}, ${first?.status}, ${shard}, ${first?.change}),
      (${storeId}, ${second?.status}, ${shard}, ${second?.change})
    on conflict (store_id, status, shard) do update set payments = c.payments + excluded.payments`.execute(
    trx,
  );
}

/** @returns how many payments match, exactly, without counting them */
export async function countPayments(db: Queryable, filter: PaymentFilter): Promise<number> {
  const { total } = await paymentsCounted(db, filter).executeTakeFirstOrThrow();
  return Number(total ?? 0);
}

/** The same as a query, to be part of another and so of its view of the database; null is none. */
export function paymentsCounted(db: Queryable, { storeId, status }: PaymentFilter) {
  let counts = db
    .selectFrom('payment_counts')
    .select((eb) => eb.fn.sum<string | null>('payments').as('total'));
  if (storeId !== undefined) counts = counts.where('store_id', '=', storeId);
  if (status !== undefined) counts = counts.where('status', '=', status);
  return counts;
}
