import { createdAtOf, firstIdOf } from '@payments/domain/identifiers';
import { advanceCursor, readCursor } from '../charges/cursors.ts';
import type { Queryable } from '../connection.ts';
import type { Removal } from '../deliveries/retention.ts';
import { inTransaction } from '../transaction.ts';
import { eraseTexts } from './personal-data.ts';

const cursor = { bank: '', name: 'personal-data' };

/**
 * Erases the texts of up to `limit` payments created before `before`, oldest first. Ids are UUIDv7, so the primary key
 * leads from one to the next; a cursor skips what was erased.
 * @returns how many payments were looked at
 */
export async function eraseOldTexts(db: Queryable, { before, limit }: Removal): Promise<number> {
  const from = (await readCursor(db, cursor)) ?? new Date(0);
  const old = await db
    .selectFrom('payments')
    .select(['id', 'email', 'observation'])
    .where('id', '>=', firstIdOf(from))
    .where('id', '<', firstIdOf(before))
    .orderBy('id')
    .limit(limit)
    .execute();
  const last = old.at(-1);
  if (!last) return 0;
  const named = old.filter(({ email, observation }) => email !== null || observation !== null);
  const ids = named.map(({ id }) => id);
  await inTransaction(db, async (trx) => {
    if (ids.length > 0) await eraseTexts(trx, ids);
    // The next millisecond, so that a turn that ends in the middle of one is not repeated for ever.
    const isRest = old.length < limit;
    const reached = createdAtOf(last.id).getTime() + (isRest ? 1 : 0);
    await advanceCursor(trx, cursor, new Date(reached));
  });
  return old.length;
}
