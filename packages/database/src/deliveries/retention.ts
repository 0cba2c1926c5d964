import { firstIdOf } from '@payments/domain/identifiers';
import type { Queryable } from '../connection.ts';
import { isToAttempt } from './due.ts';

export type Removal = { before: Date; limit: number };

/**
 * Removes up to `limit` finished deliveries of events older than `before`. The payments and their history stay. Walks
 * the primary key: ids are UUIDv7, so old ones come first.
 * @returns how many deliveries were removed
 */
export async function removeOldDeliveries(db: Queryable, { before, limit }: Removal): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('deliveries')
    .where('id', 'in', (old) =>
      old
        .selectFrom('deliveries')
        .select('id')
        .where('id', '<', firstIdOf(before))
        .where('state', '<>', 'pending')
        .orderBy('id')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/**
 * Forgets up to `limit` endpoints that began to fail before `before` and have nothing left to be sent to them: a
 * webhookUrl that was used once would be shown as failing for ever.
 * @returns how many were forgotten
 */
export async function forgetIdleEndpoints(db: Queryable, { before, limit }: Removal): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('failing_endpoints')
    .where('id', 'in', (idle) =>
      idle
        .selectFrom('failing_endpoints as f')
        .select('id')
        .where('failing_since', '<', before)
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
