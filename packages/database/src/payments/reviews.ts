import type { RefundState } from '@payments/domain/refunds';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { countPayments } from './counts.ts';
import type { Page } from './pages.ts';
import { type PaymentRow, paymentColumns, type StoredPayment, toStoredPayment } from './payments.ts';

/** A payment that waits for a decision; amounts in centavos. */
export type WaitingReview = {
  payment: StoredPayment;
  since: Date;
  /** Why it is in review: `amount_differs`, `review_above`, `late` or `cancelled`. */
  reason: string | null;
  /** Money received for it, and the part that has gone back; centavos. */
  received: number;
  returned: number;
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
      (select coalesce(sum(amount), 0)::bigint from pix_received x
        where x.payment_id = p.id and x.effect in ('approved', 'review')) as received,
      (select coalesce(sum(r.amount), 0)::bigint from refunds r
        join pix_received x on x.end_to_end_id = r.end_to_end_id
        where r.payment_id = p.id and x.effect in ('approved', 'review') and r.state = 'refunded') as returned,
      (select state from refunds r where r.payment_id = p.id and r.reason <> 'second_pix' and r.origin = 'service'
        order by r.created_at desc limit 1) as "refundState"
    from payments p where p.review_since is not null ${ofStore}
    order by p.review_since, p.id limit ${limit} offset ${(page - 1) * limit}`.execute(db);
  const items = rows.map(({ since, reason, received, returned, refundState, ...row }) => ({
    payment: toStoredPayment(row),
    since,
    reason,
    received,
    returned,
    refundState,
  }));
  return { items, total };
}

/** A payment whose time in review is over. */
export type OverdueReview = { id: string; requestId: string | null; since: Date };

/**
 * Looks at payments that have been in review since before `since` and are not timed out yet, longest first.
 * @param after where the look before ended; it goes on behind it
 */
export async function findOverdueReviews(
  db: Queryable,
  { since, after, limit }: { since: Date; after: OverdueReview | undefined; limit: number },
): Promise<OverdueReview[]> {
  const { rows } = await sql<OverdueReview>`
    select id, request_id as "requestId", review_since as since
    from payments
    where review_since < ${since} and review_timed_out_at is null
      and (review_since, id) > (${after?.since ?? '-infinity'}::timestamptz, ${after?.id ?? lowestId}::uuid)
    order by review_since, id
    limit ${limit}`.execute(db);
  return rows;
}

const lowestId = '00000000-0000-0000-0000-000000000000';

/** Notes that a payment's time in review is over: from here on, all that was received for it goes back. */
export async function setReviewTimedOut(trx: Queryable, paymentId: string, now: Date): Promise<void> {
  await trx.updateTable('payments').set({ review_timed_out_at: now }).where('id', '=', paymentId).execute();
}
