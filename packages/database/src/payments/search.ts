import { isId, paymentIdOf } from '@payments/domain/identifiers';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { anyOf, type Page, type Paged } from '../filters.ts';
import type { CreatedFilter } from '../totals/totals.ts';
import { inTransaction } from '../transaction.ts';
import { listPayments, type Matching, matching, readNewest } from './list.ts';
import { findPayments, type StoredPayment } from './payments.ts';
import { containsText } from './search-text.ts';
import { type PaidPayment, withPayingPix } from './with-pix.ts';

/** An administrator's search, by the time of creation and a text. */
export type PaymentSearch = CreatedFilter & {
  /** A whole payment id, txid, endToEndId or reference, or a part of the e-mail or the observation, in any case. */
  q?: string | undefined;
};

export type FoundPayments = Paged<StoredPayment> & {
  /** True if more than `total` payments contain the text; the rest was not counted. */
  totalIsLowerBound: boolean;
  /** Their sum in centavos; null without a text, or if not all were counted. */
  amount: number | null;
};

const countedAtMost = 10_000;

/** @returns one page of matching payments, newest first, with their number: for a text at most ten thousand */
export async function searchPayments(
  db: Queryable,
  search: PaymentSearch,
  page: Page,
): Promise<FoundPayments> {
  if (search.q === undefined)
    return { ...(await listPayments(db, search, page)), totalIsLowerBound: false, amount: null };
  return inTransaction(db, async (trx) => {
    const { ids, total, amount } = await findIds(trx, await found(trx, search), page);
    const totalIsLowerBound = total > countedAtMost;
    return {
      items: await findPayments(trx, ids),
      total: Math.min(total, countedAtMost),
      totalIsLowerBound,
      amount: totalIsLowerBound ? null : amount,
    };
  });
}

/** @returns the payments found that follow one, with the Pix that paid them, newest first; the first ones without it */
export async function readPaymentsAfter(
  db: Queryable,
  search: PaymentSearch,
  { after, limit }: { after: StoredPayment | undefined; limit: number },
): Promise<PaidPayment[]> {
  return inTransaction(db, async (trx) => {
    const all = await found(trx, search);
    const newest = await readNewest(trx, after ? all.where('id', '<', after.id) : all, { limit });
    return withPayingPix(trx, newest);
  });
}

/** Finds the ids of a page, counts and sums in one pass: a text without a trigram reads every payment. */
async function findIds(db: Queryable, all: Matching, { page, limit }: Page) {
  const pageEnd = page * limit;
  const newest = all
    .select(['id', 'amount'])
    .orderBy('id', 'desc')
    .limit(Math.max(pageEnd, countedAtMost + 1));
  const ofPage = sql`select id from found order by id desc limit ${limit} offset ${pageEnd - limit}`;
  const { rows } = await sql<{ ids: string[]; total: number; amount: number }>`
    with found as materialized (${newest})
    select array(${ofPage}) as ids, count(*) as total, coalesce(sum(amount), 0)::int8 as amount from found`.execute(
    db,
  );
  return rows[0]!;
}

/** @returns what matches the search, for the transaction's own statements */
async function found(trx: Queryable, { q, ...filter }: PaymentSearch): Promise<Matching> {
  // A rare text is found by its trigrams, a common one by reading the newest payments: no plan fits both.
  await sql`select set_config('plan_cache_mode', 'force_custom_plan', true)`.execute(trx);
  if (q === undefined) return matching(trx, filter);
  const ids = await idsNamed(trx, q);
  return matching(trx, filter).where((eb) =>
    ids.length > 0 ? eb.or([eb('id', '=', anyOf(ids)), containsText(q)]) : containsText(q),
  );
}

/** @returns the payments that this text names by their own id, their charge's, that of a Pix, or their reference */
async function idsNamed(db: Queryable, text: string): Promise<string[]> {
  const own = isId(text) ? text : paymentIdOf(text);
  const { rows } = await sql<{ id: string }>`
    select id from payments where reference = ${text}
    union all
    select payment_id from pix_received where end_to_end_id = ${text} and payment_id is not null`.execute(db);
  return [...(own === undefined ? [] : [own]), ...rows.map(({ id }) => id)];
}
