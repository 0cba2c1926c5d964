import { splitRange, type TimeRange } from '@payments/domain/time-ranges';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import type { PaymentFilter } from '../payments/counts.ts';
import { isCreatedIn } from './rows.ts';
import { keptFigures } from './totals.ts';

/** Selects payments by their time of creation. */
export type CreatedFilter = PaymentFilter & TimeRange & { bank?: string | undefined };

/**
 * Counts and sums payments by their time of creation. Whole days are kept figures, so the cost does not depend on the
 * number of payments; parts of days are read from the rows.
 * @returns their number, and the sum of their amounts in centavos
 */
export async function sumCreated(
  db: Queryable,
  { storeId, status, bank, ...range }: CreatedFilter,
): Promise<{ total: number; amount: number }> {
  const { days, parts } = splitRange(range);
  const kept = sql`select store_id, status, bank, created, created_amount from (${keptFigures(days)}) days`;
  const read = parts.map(
    (part) => sql`select store_id, status, bank, 1, amount from payments p where ${isCreatedIn(part)}`,
  );
  const ofStore = storeId === undefined ? sql`true` : sql`store_id = ${storeId}`;
  const inStatus = status === undefined ? sql`true` : sql`status = ${status}`;
  const atBank = bank === undefined ? sql`true` : sql`bank = ${bank}`;
  const { rows } = await sql<{ total: number; amount: number }>`
    select coalesce(sum(created), 0)::bigint as total, coalesce(sum(created_amount), 0)::bigint as amount
    from (${sql.join([kept, ...read], sql` union all `)}) payments
    where ${ofStore} and ${inStatus} and ${atBank}`.execute(db);
  return rows[0]!;
}
