import { type DayRange, splitRange, type TimeRange } from '@payments/domain/days';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import type { PaymentFilter } from '../payments/counts.ts';
import { isOfKind, type KindFilter } from '../stores/kinds.ts';
import { columns, figuresOfRows } from './rows.ts';

export const groupings = ['day', 'store', 'status'] as const;
export type Grouping = (typeof groupings)[number];

/** The figures of a group; amounts in centavos. */
export type Totals = {
  /** The group's day, store or status; null for refunds of a Pix that fits no payment. */
  key: string | null;
  createdCount: number;
  /** Approved payments of which something is left. */
  approvedCount: number;
  approvedAmount: number;
  feeAmount: number;
  /** All returns, ours and the banks'. */
  refundedAmount: number;
};

export type TotalsQuery = TimeRange &
  KindFilter & {
    by: Grouping;
    storeId?: string | undefined;
    bank?: string | undefined;
  };

const keys: Record<Grouping, RawBuilder<string | null>> = {
  day: sql`day`,
  store: sql`store_id`,
  status: sql`status`,
};

/**
 * Sums what was created, approved and refunded in a range.
 * @returns the groups with any figure, in order
 */
export async function readTotals(
  db: Queryable,
  { by, storeId, test, bank, ...range }: TotalsQuery,
): Promise<Totals[]> {
  const { rows } = await sql<Totals>`
    select ${keys[by]} as key,
      sum(created)::bigint as "createdCount",
      sum(approved)::bigint as "approvedCount",
      sum(approved_amount)::bigint as "approvedAmount",
      sum(fee_amount)::bigint as "feeAmount",
      sum(refunded_amount)::bigint as "refundedAmount"
    from (${figuresIn(range)}) figures
    where ${isGiven('store_id', storeId)} and ${isGiven('bank', bank)} and ${ofKind(test)}
    group by 1
    having sum(created) <> 0 or sum(approved_amount) <> 0 or sum(refunded_amount) <> 0
    order by 1`.execute(db);
  return rows;
}

/** Selects payments by their time of creation. */
export type CreatedFilter = PaymentFilter & TimeRange & { bank?: string | undefined };

/** @returns the number of payments by their time of creation, and the sum of their amounts in centavos */
export async function sumCreated(
  db: Queryable,
  { storeId, test, status, bank, ...range }: CreatedFilter,
): Promise<{ total: number; amount: number }> {
  const { rows } = await sql<{ total: number; amount: number }>`
    select coalesce(sum(created), 0)::bigint as total, coalesce(sum(created_amount), 0)::bigint as amount
    from (${figuresIn(range)}) figures
    where (created <> 0 or created_amount <> 0)
      and ${isGiven('store_id', storeId)} and ${isGiven('status', status)} and ${isGiven('bank', bank)}
      and ${ofKind(test)}`.execute(db);
  return rows[0]!;
}

/** A refund of a Pix that fits no payment has no store: its bank tells. */
const ofKind = (test: boolean | undefined) => isOfKind(test, { store: 'store_id', bank: 'bank' });

const isGiven = (column: string, value: string | undefined) =>
  value === undefined ? sql`true` : sql`${sql.ref(column)} = ${value}`;

/**
 * Selects the figures of a range. Whole days are kept, so the cost does not depend on the number of payments; parts of
 * days are read from the rows.
 */
function figuresIn(range: TimeRange): RawBuilder<unknown> {
  const { days, parts } = splitRange(range);
  return sql.join([keptFigures(days), ...parts.map(figuresOfRows)], sql` union all `);
}

/** Selects the kept figures of whole days, with the changes that are not folded yet. */
export function keptFigures({ from, before }: DayRange): RawBuilder<unknown> {
  const inRange = sql`
    (${from}::date is null or day >= ${from}::date) and (${before}::date is null or day < ${before}::date)`;
  return sql`
    select ${columns} from daily_totals where ${inRange}
    union all
    select ${columns} from total_changes where ${inRange}`;
}
