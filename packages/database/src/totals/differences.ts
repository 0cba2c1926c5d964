import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import type { Schema } from '../schema.ts';
import { figuresOfRows } from './rows.ts';
import { keptFigures } from './totals.ts';

const always = { since: new Date('1900-01-01T12:00:00Z'), until: new Date('9999-12-31T00:00:00Z') };

/** @returns the days, stores, statuses and banks whose kept totals differ from their rows, by how much; it reads all rows */
export async function findTotalsDifferences(db: Queryable): Promise<Schema['dailyTotals'][]> {
  const { rows } = await sql<Schema['dailyTotals']>`
    select day, store_id, status, bank, sum(sign * created) as created,
      sum(sign * created_amount) as created_amount, sum(sign * approved) as approved,
      sum(sign * approved_amount) as approved_amount, sum(sign * fee_amount) as fee_amount,
      sum(sign * received) as received, sum(sign * refunded_amount) as refunded_amount,
      sum(sign * given_back) as given_back
    from (
      select 1 as sign, kept.* from (${keptFigures({ from: null, before: null })}) kept
      union all
      select -1, rows.* from (${figuresOfRows(always)}) rows
    ) figures
    group by day, store_id, status, bank
    having sum(sign * created) <> 0 or sum(sign * created_amount) <> 0 or sum(sign * approved) <> 0
      or sum(sign * approved_amount) <> 0 or sum(sign * fee_amount) <> 0 or sum(sign * received) <> 0
      or sum(sign * refunded_amount) <> 0 or sum(sign * given_back) <> 0`.execute(db);
  return rows;
}
