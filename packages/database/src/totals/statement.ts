import { addDays } from '@payments/domain/days';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { keptFigures } from './totals.ts';

export const periods = ['day', 'month'] as const;
export type Period = (typeof periods)[number];

/** A store's statement (extrato); amounts in centavos. */
export type Statement = { opening: number; items: StatementItem[]; closing: number };

export type StatementItem = {
  /** `2026-11-23` or `2026-11`. */
  period: string;
  /** The part of payments that was kept at their approval in this period. */
  received: number;
  /** Their fees as they are now. */
  fees: number;
  /** The part of approved payments that went back in this period. */
  givenBack: number;
  closing: number;
};

export type StatementQuery = {
  storeId: string;
  /** The first and the last day; open if absent. */
  from?: string | undefined;
  to?: string | undefined;
  by: Period;
};

type Movement = Omit<StatementItem, 'closing'>;

/** @returns a store's periods with a movement, in order, between what was there before and after */
export async function readStatement(db: Queryable, query: StatementQuery): Promise<Statement> {
  const { storeId, from = null, to, by } = query;
  const before = to === undefined ? null : addDays(to, 1);
  const format = by === 'day' ? 'YYYY-MM-DD' : 'YYYY-MM';
  // Null is the time before `from`.
  const { rows } = await sql<Movement & { period: string | null }>`
    select case when ${from}::date is null or day >= ${from}::date then to_char(day, ${format}) end as period,
      sum(received)::bigint as received,
      sum(fee_amount)::bigint as fees,
      sum(given_back)::bigint as "givenBack"
    from (${keptFigures({ from: null, before })}) figures
    where store_id = ${storeId}
    group by 1
    having sum(received) <> 0 or sum(fee_amount) <> 0 or sum(given_back) <> 0
    order by 1`.execute(db);
  return inOrder(rows);
}

function inOrder(rows: readonly (Movement & { period: string | null })[]): Statement {
  let closing = 0;
  let opening = 0;
  const items: StatementItem[] = [];
  for (const { period, ...sums } of [...rows].sort((a, b) =>
    (a.period ?? '') < (b.period ?? '') ? -1 : 1,
  )) {
    closing += sums.received - sums.fees - sums.givenBack;
    if (period === null) opening = closing;
    else items.push({ period, ...sums, closing });
  }
  return { opening, items, closing };
}
