import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import type { Schema } from '../schema.ts';
import { eachFigure, keys } from './figures.ts';
import { figuresOfRows } from './rows.ts';
import { keptFigures } from './totals.ts';

const always = { since: new Date('1900-01-01T12:00:00Z'), until: new Date('9999-12-31T00:00:00Z') };

/** @returns the days, stores, statuses and banks whose kept totals differ from their rows, by how much; it reads all rows */
export async function findTotalsDifferences(db: Queryable): Promise<Schema['dailyTotals'][]> {
  const { rows } = await sql<Schema['dailyTotals']>`
    select ${keys}, ${eachFigure((figure) => sql`sum(sign * ${figure}) as ${figure}`)}
    from (
      select 1 as sign, kept.* from (${keptFigures({ from: null, before: null })}) kept
      union all
      select -1, rows.* from (${figuresOfRows(always)}) rows
    ) figures
    group by ${keys}
    having ${eachFigure((figure) => sql`sum(sign * ${figure}) <> 0`, sql` or `)}`.execute(db);
  return rows;
}
