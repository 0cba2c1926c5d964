import { isId, paymentIdOf } from '@payments/domain/identifiers';
import { sql } from 'kysely';
import type { Database, Queryable } from '../connection.ts';
import { anyOf, given, type Page, type Paged } from '../filters.ts';
import { isCreatedIn } from '../totals/rows.ts';
import type { CreatedFilter } from '../totals/totals.ts';
import { listPayments } from './list.ts';
import { paymentColumns, type StoredPayment } from './payments.ts';
import { containsText } from './search-text.ts';

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
const endToEndId = /^E[0-9a-z]{31}$/i;

/** @returns one page of matching payments, newest first, with their number: for a text at most ten thousand */
export async function searchPayments(
  db: Database,
  { q, ...filter }: PaymentSearch,
  page: Page,
): Promise<FoundPayments> {
  if (q === undefined) {
    return { ...(await listPayments(db, filter, page)), totalIsLowerBound: false, amount: null };
  }
  return db.transaction().execute(async (trx) => {
    await planEachSearch(trx);
    const { ids, total, amount } = await findIds(trx, await matchingIds(trx, { q, ...filter }), page);
    const items = await trx
      .selectFrom('payments')
      .select(paymentColumns)
      .where('id', '=', anyOf(ids))
      .orderBy('id', 'desc')
      .execute();
    const totalIsLowerBound = total > countedAtMost;
    return {
      items,
      total: Math.min(total, countedAtMost),
      totalIsLowerBound,
      amount: totalIsLowerBound ? null : amount,
    };
  });
}

type MatchingIds = Awaited<ReturnType<typeof matchingIds>>;

/** Finds the ids of a page, counts and sums in one pass: a text without a trigram reads every payment. */
async function findIds(db: Queryable, matching: MatchingIds, { page, limit }: Page) {
  const pageEnd = page * limit;
  const newest = matching
    .select('amount')
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

/** A rare text is found by its trigrams, a common one by reading the newest payments: no plan fits both. */
export async function planEachSearch(trx: Queryable): Promise<void> {
  await sql`select set_config('plan_cache_mode', 'force_custom_plan', true)`.execute(trx);
}

/** @returns a query of the ids of matching payments */
export async function matchingIds(db: Queryable, { storeId, status, bank, since, until, q }: PaymentSearch) {
  const matching = db
    .selectFrom('payments as p')
    .select('id')
    .where(isCreatedIn({ since, until }))
    .where(({ and }) => and(given({ storeId, status, bank })));
  if (q === undefined) return matching;
  const ids = await idsNamed(db, q);
  return matching.where((eb) =>
    ids.length > 0 ? eb.or([eb('id', '=', anyOf(ids)), containsText(q)]) : containsText(q),
  );
}

/** @returns the payments that this text names by their own id, their charge's, that of a Pix, or their reference */
async function idsNamed(db: Queryable, text: string): Promise<string[]> {
  const own = isId(text) ? text : paymentIdOf(text);
  const referred = await db.selectFrom('payments').select('id').where('reference', '=', text).execute();
  const ids = [...(own === undefined ? [] : [own]), ...referred.map(({ id }) => id)];
  if (!endToEndId.test(text)) return ids;
  const pix = await db
    .selectFrom('pixReceived')
    .select('paymentId')
    .where('endToEndId', '=', text)
    .executeTakeFirst();
  return pix?.paymentId ? [...ids, pix.paymentId] : ids;
}
