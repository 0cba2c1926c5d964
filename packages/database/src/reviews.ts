import { sql } from 'kysely';
import type { Queryable } from './connection.ts';
import { countPayments } from './payment-counts.ts';
import type { Page } from './payment-pages.ts';
import { type PaymentRow, paymentColumns, type StoredPayment, toStoredPayment } from './payments.ts';
import type { RefundState } from './schema.ts';

/** A payment that waits for a decision; amounts in centavos. */
export type WaitingReview = {
  payment: StoredPayment;
  since: Date;
  /** Why it is in review: `amount_differs`, `review_above` or `late`. */
  reason: string | null;
  received: number;
  /** What became of the refund that its time-out ordered; null while there is none. */
  refundState: RefundState | null;
};

const columns = sql.join(paymentColumns.map((column) => sql.ref(`p.${column}`)));

/** @returns one page of the payments in review, those that have waited longest first, and how many there are */
export async function listReviews(
  db: Queryable,
  { storeId }: { storeId?: string },
  { page, limit }: Page,
): Promise<{ items: WaitingReview[]; total: number }> {
  const ofStore = storeId === undefined ? sql`` : sql`and p.store_id = ${storeId}`;
  const total = await countPayments(db, { status: 'review', ...(storeId === undefined ? {} : { storeId }) });
  const { rows } = await sql<PaymentRow & Omit<WaitingReview, 'payment'>>`
    select ${columns}, p.review_since as since,
      (select reason from events e where e.payment_id = p.id and e.sequence = p.events) as reason,
      (select coalesce(sum(amount), 0)::bigint from pix_received x where x.payment_id = p.id) as received,
      (select state from refunds r where r.payment_id = p.id and r.reason <> 'second_pix' and r.origin = 'service'
        order by r.created_at desc limit 1) as "refundState"
    from payments p where p.review_since is not null ${ofStore}
    order by p.review_since, p.id limit ${limit} offset ${(page - 1) * limit}`.execute(db);
  const items = rows.map(({ since, reason, received, refundState, ...row }) => ({
    payment: toStoredPayment(row),
    since,
    reason,
    received,
    refundState,
  }));
  return { items, total };
}

/** Where a look at the reviews that are overdue ended; the next goes on from there. */
export type ReviewPosition = { since: string; id: string };

export type OverdueReviews = {
  /** Those of which some Pix has had no refund ordered yet, longest in review first. */
  reviews: { id: string; requestId: string | null }[];
  /** Null when there is nothing behind these. */
  end: ReviewPosition | null;
};

type OverdueRow = ReviewPosition & { requestId: string | null; isOrdered: boolean };

const firstPosition: ReviewPosition = { since: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

/**
 * Looks at payments that have been in review since before `since`, `limit` of them, longest first: those whose refund
 * has been ordered count too, so that a look takes the same time however many of them wait for the PSP.
 */
export async function findOverdueReviews(
  db: Queryable,
  { since, after, limit }: { since: Date; after: ReviewPosition | null; limit: number },
): Promise<OverdueReviews> {
  const { since: afterSince, id: afterId } = after ?? firstPosition;
  const { rows } = await sql<OverdueRow>`
    select p.id, p.request_id as "requestId", p.review_since::text as since,
      not exists (select from pix_received x where x.payment_id = p.id and not exists (
        select from refunds r where r.end_to_end_id = x.end_to_end_id and r.origin = 'service' offset 0) offset 0
      ) as "isOrdered"
    from payments p
    where p.review_since < ${since}
      and (p.review_since, p.id) > (${afterSince}::timestamptz, ${afterId}::uuid)
    order by p.review_since, p.id limit ${limit}`.execute(db);
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return {
    reviews: rows.filter(({ isOrdered }) => !isOrdered).map(({ id, requestId }) => ({ id, requestId })),
    end: last ? { since: last.since, id: last.id } : null,
  };
}

/**
 * Locks payments against every other change, those that are still in review since before `since`. One that somebody
 * else has locked is passed over: to wait for it would make all the others wait.
 * @returns the ids of those that are locked
 */
export async function lockOverdueReviews(
  trx: Queryable,
  ids: readonly string[],
  since: Date,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from payments
    where id = any(${[...ids]}::uuid[]) and (status = 'review' and review_since < ${since}) is true
    for no key update skip locked`.execute(trx);
  return rows.map(({ id }) => id);
}
