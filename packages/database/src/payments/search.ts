import { firstIdOf, isId, paymentIdOf } from '@payments/domain/identifiers';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import type { PaymentFilter } from './counts.ts';
import { listPayments } from './list.ts';
import type { Page, Paged } from './pages.ts';
import { paymentColumns, type StoredPayment } from './payments.ts';

/** An administrator's search; `since` is inclusive, `until` is not. */
export type PaymentSearch = PaymentFilter & {
  since?: Date;
  until?: Date;
  /** A complete payment id, txid, endToEndId or customer's e-mail, in any case. */
  q?: string;
};

export type FoundPayments = Paged<StoredPayment> & {
  /** True if more than `total` payments match; the rest was not counted. */
  totalIsLowerBound: boolean;
};

const countedAtMost = 10_000;
// An id is made a moment before its createdAt: the index on ids narrows the time, createdAt decides.
const clockSlackMs = 5 * 60_000;
const endToEndId = /^E[0-9a-z]{31}$/i;

/** @returns one page of matching payments, newest first, with an exact count up to ten thousand */
export async function searchPayments(
  db: Queryable,
  search: PaymentSearch,
  page: Page,
): Promise<FoundPayments> {
  const { since, until, q, ...filter } = search;
  if (!since && !until && q === undefined) {
    return { ...(await listPayments(db, filter, page)), totalIsLowerBound: false };
  }
  const matching = await matchingIds(db, search);
  const { total } = await db
    .selectFrom(matching.limit(countedAtMost + 1).as('counted'))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const offset = (page.page - 1) * page.limit;
  const items = await db
    .selectFrom('payments')
    .select(paymentColumns)
    .where('id', 'in', matching.orderBy('id', 'desc').limit(page.limit).offset(offset))
    .orderBy('id', 'desc')
    .execute();
  const totalIsLowerBound = total > countedAtMost;
  return { items, total: Math.min(total, countedAtMost), totalIsLowerBound };
}

async function matchingIds(db: Queryable, { storeId, status, since, until, q }: PaymentSearch) {
  let matching = db.selectFrom('payments').select('id');
  if (storeId !== undefined) matching = matching.where('store_id', '=', storeId);
  if (status !== undefined) matching = matching.where('status', '=', status);
  if (since)
    matching = matching.where('id', '>=', around(since, -clockSlackMs)).where('created_at', '>=', since);
  if (until)
    matching = matching.where('id', '<', around(until, clockSlackMs)).where('created_at', '<', until);
  if (q === undefined) return matching;
  const ids = await idsNamed(db, q);
  return ids.length > 0
    ? matching.where('id', '=', ({ fn, val }) => fn.any(val(ids)))
    : matching.where(sql<string>`lower(email)`, '=', sql<string>`lower(${q})`);
}

function around(moment: Date, ms: number): string {
  return firstIdOf(new Date(moment.getTime() + ms));
}

/** @returns the payments that this text names by their own id, their charge's, or that of a Pix */
async function idsNamed(db: Queryable, text: string): Promise<string[]> {
  const own = isId(text) ? text : paymentIdOf(text);
  const ids = own === undefined ? [] : [own];
  if (!endToEndId.test(text)) return ids;
  const pix = await db
    .selectFrom('pix_received')
    .select('payment_id')
    .where('end_to_end_id', '=', text)
    .executeTakeFirst();
  return pix?.payment_id ? [...ids, pix.payment_id] : ids;
}
