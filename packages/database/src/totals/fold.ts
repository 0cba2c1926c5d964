import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';

/**
 * Folds up to `limit` appended changes into the kept days.
 * @returns how many were folded
 */
export async function foldTotals(db: Queryable, limit: number): Promise<number> {
  // Sorted days prevent deadlocks between two folding processes.
  const { rows } = await sql<{ folded: number }>`
    with folded as (
      delete from total_changes
      where ctid = any(array(select ctid from total_changes limit ${limit} for update skip locked))
      returning *
    ), kept as (
      insert into daily_totals as known (
        day, store_id, status, bank, created, created_amount, approved, approved_amount, fee_amount, received,
        refunded_amount, given_back)
      select day, store_id, status, bank, sum(created), sum(created_amount), sum(approved),
        sum(approved_amount), sum(fee_amount), sum(received), sum(refunded_amount), sum(given_back)
      from folded
      group by day, store_id, status, bank
      order by day, store_id, status, bank
      on conflict (day, store_id, status, bank) do update set
        created = known.created + excluded.created,
        created_amount = known.created_amount + excluded.created_amount,
        approved = known.approved + excluded.approved,
        approved_amount = known.approved_amount + excluded.approved_amount,
        fee_amount = known.fee_amount + excluded.fee_amount,
        received = known.received + excluded.received,
        refunded_amount = known.refunded_amount + excluded.refunded_amount,
        given_back = known.given_back + excluded.given_back
    )
    select count(*) as folded from folded`.execute(db);
  return rows[0]!.folded;
}
