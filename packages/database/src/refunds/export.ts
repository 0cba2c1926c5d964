import type { RefundState } from '@payments/domain/refunds';
import type { TimeRange } from '@payments/domain/time-ranges';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { type RefundOfStore, withStore } from './not-made.ts';

/** Selects refunds of all states, by the time of their order. */
export type RefundSearch = TimeRange & {
  storeId?: string;
  bank?: string;
  state?: RefundState;
  /** Only refunds that wait for a person. */
  isOwed?: true;
  /** Only refunds that the bank started (MED). */
  isOfBank?: true;
};

/** @returns the refunds found that follow one, newest first; the first ones without it */
export async function readRefundsAfter(
  db: Queryable,
  search: RefundSearch,
  { after, limit }: { after: RefundOfStore | undefined; limit: number },
): Promise<RefundOfStore[]> {
  let refunds = matching(db, search);
  if (after) {
    const { createdAt, endToEndId, id } = after;
    const place = sql<boolean>`(refunds.created_at, end_to_end_id, refunds.id) < (${createdAt}, ${endToEndId}, ${id})`;
    refunds = refunds.where(place);
  }
  return refunds
    .orderBy('refunds.createdAt', 'desc')
    .orderBy('endToEndId', 'desc')
    .orderBy('refunds.id', 'desc')
    .limit(limit)
    .execute();
}

function matching(db: Queryable, { storeId, bank, state, since, until, isOwed, isOfBank }: RefundSearch) {
  let refunds = withStore(db);
  if (storeId !== undefined) refunds = refunds.where('storeId', '=', storeId);
  if (state !== undefined) refunds = refunds.where('state', '=', state);
  if (bank !== undefined) refunds = refunds.where('refunds.bank', '=', bank);
  if (since) refunds = refunds.where('refunds.createdAt', '>=', since);
  if (until) refunds = refunds.where('refunds.createdAt', '<', until);
  if (isOwed) refunds = refunds.where('owed', 'is not', null);
  return isOfBank ? refunds.where('origin', '=', 'bank') : refunds;
}
