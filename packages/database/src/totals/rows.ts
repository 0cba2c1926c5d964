import type { TimeRange } from '@payments/domain/days';
import { firstIdOf } from '@payments/domain/identifiers';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import type { Schema } from '../schema.ts';
import { keptFigures } from './totals.ts';

/** The keys of a row of the totals. Its figures are counts, and amounts in centavos. */
export const keys = sql`day, store_id, status, bank`;
const figures = [
  'created',
  'created_amount',
  'approved',
  'approved_amount',
  'fee_amount',
  'received',
  'refunded_amount',
  'given_back',
].map((name) => sql.ref(name));

/** @returns the same SQL of each figure, in their order */
export function eachFigure(
  write: (figure: RawBuilder<unknown>) => RawBuilder<unknown>,
  separator = sql`, `,
): RawBuilder<unknown> {
  return sql.join(figures.map(write), separator);
}

/** The columns of the totals, in the order of `figuresOfRows`. */
export const columns = sql`${keys}, ${eachFigure((figure) => figure)}`;

// An Idempotency-Key may reserve an id for 24 hours before its payment is created, and clocks differ.
const idBeforeMs = (24 * 60 + 5) * 60_000;
const idAfterMs = 5 * 60_000;

const around = (moment: Date, ms: number) => firstIdOf(new Date(moment.getTime() + ms));

/** @returns SQL: whether the payment `p` was created in the range, by the index of ids */
export function isCreatedIn(range: TimeRange): RawBuilder<boolean> {
  const { since, until } = range;
  const first = since ? sql`p.created_at >= ${since}` : sql`true`;
  const last = until ? sql`p.created_at < ${until}` : sql`true`;
  return sql<boolean>`${hasIdOf(sql`p.id`, range)} and ${first} and ${last}`;
}

function hasIdOf(id: RawBuilder<unknown>, { since, until }: TimeRange): RawBuilder<boolean> {
  const first = since ? sql`${id} >= ${around(since, -idBeforeMs)}` : sql`true`;
  const last = until ? sql`${id} < ${around(until, idAfterMs)}` : sql`true`;
  return sql<boolean>`${first} and ${last}`;
}

/** Selects the figures of payments and refunds themselves, in the columns of the kept totals. */
export function figuresOfRows({ since, until }: { since: Date; until: Date }): RawBuilder<unknown> {
  return sql`
    select day_of(moment) as day, store_id, status, bank, ${eachFigure((figure) => figure)}
    from figures
    where moment >= ${since} and moment < ${until}
      and (created = 0 or (${hasIdOf(sql`payment_id`, { since, until })}))`;
}

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
