import type { Queryable } from '../connection.ts';
import { given, type Page, type Paged, paged } from '../filters.ts';
import { isCreatedIn } from '../totals/rows.ts';
import { type CreatedFilter, sumCreated } from '../totals/totals.ts';
import { countPayments } from './counts.ts';
import { type StoredPayment, storedPayments } from './payments.ts';

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
  let found = matching(db, filter);
  // A payment's place is its id, which a status change keeps.
  const place = matching(db, { storeId: filter.storeId }).select('id');
  if (after !== undefined) found = found.where('id', '<', place.where('id', '=', after));
  const items = await readNewest(db, found, { limit, offset });
  // What follows a payment is a part of the list.
  return after === undefined
    ? paged(items, total, { page, limit })
    : { items, total: Math.max(total, items.length) };
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

export type Matching = ReturnType<typeof matching>;

export function matching(
  db: Queryable,
  { since, until, storeId, test, status, bank, reference }: ListFilter,
) {
  return db
    .selectFrom('payments as p')
    .where(isCreatedIn({ since, until }))
    .where(({ and }) => and(given({ storeId, test, status, bank, reference })));
}

/** Reads the newest ones. Those before them are skipped in an index of ids, so no other rows are read. */
export async function readNewest(
  db: Queryable,
  found: Matching,
  { limit, offset = 0 }: { limit: number; offset?: number },
): Promise<StoredPayment[]> {
  const ids = found.select('id').orderBy('id', 'desc').limit(limit).offset(offset);
  return storedPayments(db).where('id', 'in', ids).orderBy('id', 'desc').execute();
}
