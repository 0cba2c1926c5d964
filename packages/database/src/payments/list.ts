import type { Queryable } from '../connection.ts';
import { given, type Page, type Paged } from '../filters.ts';
import { isCreatedIn } from '../totals/rows.ts';
import { type CreatedFilter, sumCreated } from '../totals/totals.ts';
import { countPayments, type PaymentFilter } from './counts.ts';
import { paymentColumns, type StoredPayment } from './payments.ts';

/** Selects payments, also by their whole reference. */
type ListFilter = CreatedFilter & { reference?: string | undefined };

export type ListQuery = ListFilter & {
  /** Only what follows this payment in the list; nothing if it is not a payment of the store. */
  after?: string | undefined;
};

/** @returns one page of payments, newest first, and the total of all pages, regardless of `after` */
export async function listPayments(
  db: Queryable,
  { after, ...filter }: ListQuery,
  { page, limit }: Page,
): Promise<Paged<StoredPayment>> {
  const total = await count(db, filter);
  const offset = (page - 1) * limit;
  if (offset >= total) return { items: [], total };
  let ids = matching(db, filter).select('id');
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

async function count(db: Queryable, filter: ListFilter): Promise<number> {
  const { reference, since, until, bank } = filter;
  if (reference === undefined)
    return since || until || bank ? (await sumCreated(db, filter)).total : countPayments(db, filter);
  const { total } = await matching(db, filter)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

function matching(db: Queryable, { since, until, storeId, status, bank, reference }: ListFilter) {
  const columns = given({ storeId, status, bank, reference });
  const payments = db.selectFrom('payments as p').where(({ and }) => and(columns));
  return since || until ? payments.where(isCreatedIn({ since, until })) : payments;
}

/** A payment's place is its id, which a status change keeps. */
function placeOf(db: Queryable, id: string, { storeId }: PaymentFilter) {
  return db
    .selectFrom('payments')
    .select('id')
    .where(({ and }) => and(given({ id, storeId })));
}
