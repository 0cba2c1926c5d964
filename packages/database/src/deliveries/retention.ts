import { sql } from 'kysely';
import { isFreeOf } from '../claims.ts';
import type { Queryable } from '../connection.ts';
import { isToAttempt } from './due.ts';

export type Removal = { before: Date; limit: number };

// A delivery may wait for months behind a receiver that is down. Its time begins when it has ended.
const lastAttemptAt = sql<Date>`coalesce((attempt_log -> -1 ->> 'startedAt')::timestamptz, created_at)`;

/**
 * Deletes up to `limit` finished deliveries whose last attempt was before `before`. Payments and their history stay.
 * @returns how many deliveries were deleted
 */
export async function removeOldDeliveries(db: Queryable, { before, limit }: Removal): Promise<number> {
  const finished = db
    .selectFrom('deliveries')
    .where('createdAt', '<', before)
    .where('state', '<>', 'pending')
    .where(lastAttemptAt, '<', before);
  const { numDeletedRows } = await db
    .deleteFrom('deliveries')
    .where(isFreeOf(finished.orderBy('createdAt').limit(limit)))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/**
 * Deletes up to `limit` endpoints that began to fail before `before` and have no deliveries left. Otherwise a
 * webhookUrl that was used once would be shown as failing for ever.
 * @returns how many were deleted
 */
export async function forgetIdleEndpoints(db: Queryable, { before, limit }: Removal): Promise<number> {
  const isIdle = sql<boolean>`
    not exists (select from deliveries
      where store_id = failing_endpoints.store_id and endpoint = failing_endpoints.id and ${isToAttempt})`;
  const idle = db.selectFrom('failingEndpoints').where('failingSince', '<', before).where(isIdle);
  const { numDeletedRows } = await db
    .deleteFrom('failingEndpoints')
    .where(isFreeOf(idle.orderBy('id').limit(limit)))
    .executeTakeFirst();
  return Number(numDeletedRows);
}
