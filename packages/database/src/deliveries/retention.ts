import type { Queryable } from '../connection.ts';
import { isToAttempt } from './due.ts';

export type Removal = { before: Date; limit: number };

/**
 * Deletes up to `limit` finished deliveries created before `before`. Payments and their history stay.
 * @returns how many deliveries were deleted
 */
export async function removeOldDeliveries(db: Queryable, { before, limit }: Removal): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('deliveries')
    .where('id', 'in', (old) =>
      old
        .selectFrom('deliveries')
        .select('id')
        .where('createdAt', '<', before)
        .where('state', '<>', 'pending')
        .orderBy('createdAt')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/**
 * Deletes up to `limit` endpoints that began to fail before `before` and have no deliveries left. Otherwise a
 * webhookUrl that was used once would be shown as failing for ever.
 * @returns how many were deleted
 */
export async function forgetIdleEndpoints(db: Queryable, { before, limit }: Removal): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('failingEndpoints')
    .where('id', 'in', (idle) =>
      idle
        .selectFrom('failingEndpoints as f')
        .select('id')
        .where('failingSince', '<', before)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('deliveries').whereRef('endpoint', '=', 'f.id').where(isToAttempt))),
        )
        .orderBy('id')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
