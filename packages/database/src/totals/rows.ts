import { firstIdOf } from '@payments/domain/identifiers';
import type { TimeRange } from '@payments/domain/time-ranges';
import { type RawBuilder, sql } from 'kysely';
import { eachFigure } from './figures.ts';

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
