import type { PaymentStatus } from '@payments/domain/status';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../connection.ts';

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

/**
 * How a payment's move is counted: one more of the `with` list that moves it, fed by its `moved` (store). Rows are locked
 * in the order of their statuses, so that two moves never wait in a circle.
 */
export function countMove({ from, to }: { from: PaymentStatus; to: PaymentStatus }): RawBuilder<unknown> {
  return sql`counted as (
    insert into payment_counts as c (store_id, status, shard, payments)
    select store_id, step.status, ${shard}, step.change
    from moved, (values (${from}, -1), (${to}, 1)) as step (status, change) order by step.status
    on conflict (store_id, status, shard) do update set payments = c.payments + excluded.payments
  )`;
}

/** @returns how many payments match, exactly, without counting them */
export async function countPayments(db: Queryable, filter: PaymentFilter): Promise<number> {
  return (await countList(db, filter)).total;
}

export type ListCount = {
  total: number;
  /** How often a payment that was older than 25 hours has moved to their status or from it. */
  lateMoves: number;
};

/** @returns how many payments match, and a number that stays the same while the old ones among them do */
export async function countList(db: Queryable, filter: PaymentFilter): Promise<ListCount> {
  const counts = await countsOf(db, filter)
    .select(({ fn }) => [
      fn.sum<string | null>('payments').as('total'),
      fn.sum<string | null>('late_moves').as('lateMoves'),
    ])
    .executeTakeFirstOrThrow();
  return { total: Number(counts.total ?? 0), lateMoves: Number(counts.lateMoves ?? 0) };
}

/** The same as columns of another query, and so of its view of the database; null is none. */
export function listCounted(db: Queryable, filter: PaymentFilter) {
  const counts = countsOf(db, filter);
  return [
    counts.select(({ fn }) => fn.sum<string | null>('payments').as('total')).as('total'),
    counts.select(({ fn }) => fn.sum<string | null>('late_moves').as('lateMoves')).as('lateMoves'),
  ] as const;
}

function countsOf(db: Queryable, { storeId, status }: PaymentFilter) {
  return db
    .selectFrom('payment_counts')
    .$if(storeId !== undefined, (counts) => counts.where('store_id', '=', storeId as string))
    .$if(status !== undefined, (counts) => counts.where('status', '=', status as PaymentStatus));
}
