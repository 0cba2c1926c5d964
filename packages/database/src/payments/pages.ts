import type { Queryable } from '../connection.ts';
import { countList, listCounted, type PaymentFilter } from './counts.ts';
import { farAway, type ListPlaces, nearestStart, type Span, type Start } from './list-places.ts';
import { paymentColumns, type StoredPayment, toStoredPayment } from './payments.ts';

export type Page = { page: number; limit: number };

/** What lists are read with. */
export type Lists = { db: Queryable; places: ListPlaces };

/**
 * @returns one page of payments, newest first, and how many there are on all pages (spec 2.3). It is read from what is
 *   nearest: an end of the list, or a page that was read before
 */
export async function listPayments(
  { db, places }: Lists,
  filter: PaymentFilter,
  { page, limit }: Page,
): Promise<{ items: StoredPayment[]; total: number }> {
  const { total, lateMoves } = await countList(db, filter);
  const to = total - (page - 1) * limit;
  if (to <= 0) return { items: [], total };
  const span = { from: Math.max(0, to - limit), to };
  // A payment leaves the lists of its status, which moves places above it; it stays in all others.
  const list = [filter.storeId ?? 'all', filter.status].join(' ');
  const moves = filter.status === undefined ? 0 : lateMoves;
  const start = nearestStart(span, total, places.of(list, moves));
  const rows = await readSpan(db, filter, start, span);
  const [oldest] = rows.slice(-1);
  const isUnmoved = filter.status === undefined || Number(oldest?.lateMoves) === lateMoves;
  if (oldest?.total !== undefined && isUnmoved && rows.length === to - span.from) {
    // What has changed since the count is newer than all of these, and moves a page that is read from the newest end.
    const isFromNewest = start.direction === 'desc' && start.id === undefined;
    const moved = isFromNewest ? Number(oldest.total) - total : 0;
    places.keep(list, { id: oldest.id, below: span.from + moved }, moves);
  }
  return { items: rows.map(toStoredPayment), total };
}

async function readSpan(
  db: Queryable,
  filter: PaymentFilter,
  { direction, id, skip }: Start,
  { from, to }: Span,
) {
  let matching = db.selectFrom('payments').select('id');
  if (filter.storeId !== undefined) matching = matching.where('store_id', '=', filter.storeId);
  if (filter.status !== undefined) matching = matching.where('status', '=', filter.status);
  if (id !== undefined) matching = matching.where('id', direction === 'asc' ? '>=' : '<', id);
  // The ids alone are skipped over and found in the index; only the page's own rows are read.
  const onPage = matching
    .orderBy('id', direction)
    .limit(to - from)
    .offset(skip);
  return db
    .selectFrom('payments')
    .select(paymentColumns)
    .$if(skip > farAway, (rows) => rows.select(listCounted(db, filter)))
    .where('id', 'in', onPage)
    .orderBy('id', 'desc')
    .execute();
}
