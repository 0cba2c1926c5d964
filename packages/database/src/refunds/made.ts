import type { TimeRange } from '@payments/domain/time-ranges';
import type { Queryable } from '../connection.ts';
import { type Page, type Paged, readPage } from '../payments/pages.ts';
import { type RefundOfStore, withStore } from './not-made.ts';

/** Selects refunds that were made, by the time of their order. */
export type MadeFilter = TimeRange & { storeId?: string; bank?: string };

/** @returns one page of the refunds that were made, newest first, and their total */
export async function listRefundsMade(
  db: Queryable,
  filter: MadeFilter,
  page: Page,
): Promise<Paged<RefundOfStore>> {
  const newestFirst = made(db, filter).orderBy('refunds.createdAt', 'desc').orderBy('refunds.id', 'desc');
  return readPage(newestFirst, page);
}

/** @returns the sum of the refunds that the list with this filter has, in centavos */
export async function sumRefundsMade(db: Queryable, filter: MadeFilter): Promise<number> {
  const { sum } = await made(db, filter)
    .clearSelect()
    .select(({ fn }) => fn.sum<string | null>('refunds.amount').as('sum'))
    .executeTakeFirstOrThrow();
  return Number(sum ?? 0);
}

function made(db: Queryable, { storeId, bank, since, until }: MadeFilter) {
  let refunds = withStore(db).where('state', '=', 'refunded');
  if (storeId !== undefined) refunds = refunds.where('storeId', '=', storeId);
  if (bank !== undefined) refunds = refunds.where('refunds.bank', '=', bank);
  if (since) refunds = refunds.where('refunds.createdAt', '>=', since);
  return until ? refunds.where('refunds.createdAt', '<', until) : refunds;
}
