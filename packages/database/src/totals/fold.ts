import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { columns, eachFigure, keys } from './figures.ts';

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
      insert into daily_totals as known (${columns})
      select ${keys}, ${eachFigure((figure) => sql`sum(${figure})`)}
      from folded
      group by ${keys}
      order by ${keys}
      on conflict (${keys}) do update set
        ${eachFigure((figure) => sql`${figure} = known.${figure} + excluded.${figure}`)}
    )
    select count(*) as folded from folded`.execute(db);
  return rows[0]!.folded;
}
