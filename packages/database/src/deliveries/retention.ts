import { firstIdOf } from '@payments/domain/identifiers';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { isToAttempt } from './claim-bounds.ts';

/**
 * Removes up to `limit` finished deliveries of events older than `before`, with their attempts. The payments and
 * their history stay. Walks the primary key: ids are UUIDv7, so old ones come first.
 * @returns how many deliveries were removed
 */
export async function removeOldDeliveries(
  db: Queryable,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { rows } = await sql<{ removed: number }>`
    with old as (
      select id from deliveries where id < ${firstIdOf(before)}::uuid and state <> 'pending'
      order by id limit ${limit} for update skip locked
    ), gone as (
      delete from attempts where delivery_id in (select id from old)
    ), removed as (
      delete from deliveries where id in (select id from old) returning id
    )
    select count(*)::int as removed from removed`.execute(db);
  return rows[0]?.removed ?? 0;
}

/**
 * Forgets up to `limit` receivers that began to fail before `before` and have nothing left to be sent to them: a
 * webhookUrl that was used once would be shown as failing for ever.
 * @returns how many were forgotten
 */
export async function forgetIdleEndpoints(
  db: Queryable,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from failing_endpoints where id in (
      select id from failing_endpoints f where failing_since < ${before}
        and not exists (select from deliveries where endpoint = f.id and ${isToAttempt} offset 0)
      order by id limit ${limit} for update skip locked
    )`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
