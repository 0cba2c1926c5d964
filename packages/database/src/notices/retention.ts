import type { SendError } from '@payments/notices/sending';
import { isFreeOf } from '../claims.ts';
import type { Queryable } from '../connection.ts';
import type { Removal } from '../deliveries/retention.ts';
import { isOver } from './conditions.ts';

const tooLate: SendError = { code: 'too_late' };

/**
 * Ends mails that nobody could send for too long, also where no mail server is configured.
 * @returns how many there were, at most `limit`
 */
export async function endOverdueMails(db: Queryable, { before, limit }: Removal): Promise<number> {
  const overdue = db.selectFrom('mails').where('createdAt', '<', before).where('state', '=', 'pending');
  const ended = { state: 'failed' as const, nextAttemptAt: null, link: null, closed: true };
  const { numUpdatedRows } = await db
    .updateTable('mails')
    .set({ ...ended, lastError: tooLate })
    .where(isFreeOf(overdue.where('nextAttemptAt', 'is not', null).orderBy('id').limit(limit)))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/**
 * Deletes up to `limit` ended mails, and as many shared notices, from before `before`. One that would be told again stays
 * (see {@link isOver}), such as that of a day from `comparedSince` on.
 * @returns the greater of the two numbers
 */
export async function removeOldNotices(
  db: Queryable,
  { before, comparedSince, limit }: Removal & { comparedSince: string },
): Promise<number> {
  const ended = db.selectFrom('mails').where('createdAt', '<', before).where('state', '<>', 'pending');
  const old = db.selectFrom('notices').where('occurredAt', '<', before).where(isOver(comparedSince));
  const shared = old.where('sharedAt', 'is not', null);
  const removed = [
    await db
      .deleteFrom('mails')
      .where(isFreeOf(ended.orderBy('id').limit(limit)))
      .executeTakeFirst(),
    await db
      .deleteFrom('notices')
      .where(isFreeOf(shared.orderBy('occurredAt').limit(limit)))
      .executeTakeFirst(),
  ];
  return Math.max(...removed.map(({ numDeletedRows }) => Number(numDeletedRows)));
}
