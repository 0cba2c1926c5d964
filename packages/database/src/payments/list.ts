import type { Queryable } from '../connection.ts';
import { countPayments, type PaymentFilter } from './counts.ts';
import type { Page, Paged } from './pages.ts';
import { paymentColumns, type StoredPayment } from './payments.ts';

export type ListQuery = PaymentFilter & {
  /** Only what follows this payment in the list; nothing if it is not a payment of the store. */
  after?: string | undefined;
};

/** @returns one page of payments, newest first, and the total of all pages, regardless of `after` */
export async function listPayments(
  db: Queryable,
  { after, ...filter }: ListQuery,
  { page, limit }: Page,
): Promise<Paged<StoredPayment>> {
  const total = await countPayments(db, filter);
  const offset = (page - 1) * limit;
  if (offset >= total) return { items: [], total };
  let ids = db.selectFrom('payments').select('id');
  if (filter.storeId !== undefined) ids = ids.where('store_id', '=', filter.storeId);
  if (filter.status !== undefined) ids = ids.where('status', '=', filter.status);
  if (after !== undefined) ids = ids.where('id', '<', placeOf(db, after, filter));
  // Earlier pages are skipped in an index of ids, so only the page's own rows are read.
  const items = await db
    .selectFrom('payments')
    .select(paymentColumns)
    .where('id', 'in', ids.orderBy('id', 'desc').limit(limit).offset(offset))
    .orderBy('id', 'desc')
    .execute();
  return { items, total };
}

/** A payment's place is its id, which a status change keeps. */
function placeOf(db: Queryable, id: string, { storeId }: PaymentFilter) {
  return db
    .selectFrom('payments')
    .select('id')
    .where('id', '=', id)
    .$if(storeId !== undefined, (payments) => payments.where('store_id', '=', storeId as string));
}
