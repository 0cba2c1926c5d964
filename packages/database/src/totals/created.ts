import { splitRange, type TimeRange } from '@payments/domain/time-ranges';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import type { PaymentFilter } from '../payments/counts.ts';
import { isCreatedIn } from './rows.ts';
import { keptFigures } from './totals.ts';

/**
 * Counts a store's payments by their time of creation. Whole days are kept figures, so the cost does not depend on the
 * number of payments; parts of days are counted.
 */
export async function countCreated(
  db: Queryable,
  { storeId, status, ...range }: PaymentFilter & TimeRange,
): Promise<number> {
  const { days, parts } = splitRange(range);
  const kept = sql`select store_id, status, created from (${keptFigures(days)}) days`;
  const counted = parts.map(
    (part) => sql`select store_id, status, 1 from payments p where ${isCreatedIn(part)}`,
  );
  const ofStore = storeId === undefined ? sql`true` : sql`store_id = ${storeId}`;
  const inStatus = status === undefined ? sql`true` : sql`status = ${status}`;
  const { rows } = await sql<{ total: number }>`
    select coalesce(sum(created), 0)::bigint as total
    from (${sql.join([kept, ...counted], sql` union all `)}) payments
    where ${ofStore} and ${inStatus}`.execute(db);
  return rows[0]!.total;
}
