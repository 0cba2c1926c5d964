import type { RefundState } from '@payments/domain/refunds';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { given, type Page, paged } from '../filters.ts';
import type { KindFilter } from '../stores/kinds.ts';
import { countPayments } from './counts.ts';
import { storedPayments } from './payments.ts';

/**
 * A payment that waits for a decision; why, the money received for it, the part that has gone back and the part that is
 * on its way, in centavos, and the state of the refund that its time-out ordered.
 */
export type WaitingReview = Awaited<ReturnType<typeof listReviews>>['items'][number];

const reason = sql<string | null>`(
  select reason from events e where e.payment_id = payments.id and e.type = 'payment.status_changed'
  order by e.sequence desc limit 1)`;

const paid = sql<number>`(
  select coalesce(sum(amount), 0)::bigint from pix_received
  where payment_id = payments.id and effect in ('approved', 'review'))`;

const sumOfRefunds = (isOfSum: RawBuilder<boolean>) => sql<number>`(
  select coalesce(sum(r.amount), 0)::bigint from refunds r join pix_received using (end_to_end_id)
  where r.payment_id = payments.id and effect in ('approved', 'review') and ${isOfSum})`;

const returned = sumOfRefunds(sql`state = 'refunded'`);
const underWay = sumOfRefunds(sql`state in ('requested', 'processing')`);

/** SQL: what was received for a payment in review and has not gone back, in centavos. */
export const leftInReview = sql<number>`greatest(0, ${paid} - ${returned})`;

const refundState = sql<RefundState | null>`(
  select state from refunds
  where payment_id = payments.id and reason <> 'second_pix' and origin = 'service'
  order by created_at desc limit 1)`;

/** @returns one page of the payments in review, longest wait first, and their total */
export async function listReviews(
  db: Queryable,
  filter: KindFilter & { storeId?: string },
  { page, limit }: Page,
) {
  const total = await countPayments(db, { ...filter, status: 'review' });
  const offset = (page - 1) * limit;
  if (offset >= total) return { items: [], total };
  const items = await storedPayments(db)
    .select([reason.as('reason'), paid.as('paid'), returned.as('returned'), underWay.as('underWay')])
    .select(refundState.as('refundState'))
    .$narrowType<{ reviewSince: Date }>()
    .where('reviewSince', 'is not', null)
    .where(({ and }) => and(given(filter)))
    .orderBy('reviewSince')
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute();
  return paged(items, total, { page, limit });
}

/** A payment whose time in review is over. */
export type OverdueReview = { id: string; requestId: string | null; since: Date };

/**
 * Finds payments in review from before `since` that are not timed out yet, longest wait first.
 * @param after the end of the previous page
 */
export async function findOverdueReviews(
  db: Queryable,
  { since, after, limit }: { since: Date; after: OverdueReview | undefined; limit: number },
): Promise<OverdueReview[]> {
  return db
    .selectFrom('payments')
    .select(['id', 'requestId', 'reviewSince as since'])
    .$narrowType<{ since: Date }>()
    .where('reviewSince', '<', since)
    .where('reviewTimedOutAt', 'is', null)
    .$if(after !== undefined, (reviews) =>
      reviews.where(sql<boolean>`(review_since, id) > (${after?.since}, ${after?.id})`),
    )
    .orderBy('reviewSince')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Records that a payment's time in review is over: all that was received for it goes back. */
export async function setReviewTimedOut(trx: Queryable, paymentId: string, now: Date): Promise<void> {
  await trx.updateTable('payments').set({ reviewTimedOutAt: now }).where('id', '=', paymentId).execute();
}
