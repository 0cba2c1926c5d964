import { DatabaseUnavailable } from '@payments/database/errors';
import { findOverdueReviews, type OverdueReviews, type ReviewPosition } from '@payments/database/reviews';
import { createPace } from '@payments/runtime/pace';
import type { SettlementContext } from '@payments/settlement/context';
import { timeOutReview, timeOutReviews as timeOutTogether } from '@payments/settlement/time-out-review';
import { refundsPerSecond, type Scan } from './scan.ts';

const lookedAtOnce = 20;

/**
 * Orders the refund of payments that stayed in review too long (spec 3), no faster than refunds are made. Goes through
 * all that are overdue a part at a time, then starts anew.
 */
export function timeOutReviews(timeoutSeconds: number, onOrdered: () => void): Scan {
  const pace = createPace(refundsPerSecond);
  let after: ReviewPosition | null = null;
  return async (context) => {
    await pace();
    const since = new Date(context.now().getTime() - timeoutSeconds * 1_000);
    const { reviews, end } = await findOverdueReviews(context.db, { since, after, limit: lookedAtOnce });
    // Goes on behind a part that fails, too: it comes again with the next round, and holds up none of the others.
    after = end;
    if (reviews.length > 0) {
      await pace(reviews.length);
      if (await timeOut(context, reviews, since)) onOrdered();
    }
    return end !== null;
  };
}

/** @returns whether anything was ordered */
async function timeOut(context: SettlementContext, reviews: OverdueReviews['reviews'], since: Date) {
  const ids = reviews.map(({ id }) => id);
  const { ordered, returned } = await timeOutTogether(context, ids, since).catch((error: unknown) => {
    if (error instanceof DatabaseUnavailable) throw error;
    context.log.warn({ err: error }, 'reviews could not be timed out together; each is on its own');
    return { ordered: new Set<string>(), returned: ids };
  });
  for (const id of returned) if (await timeOutAlone(context, id, since)) ordered.add(id);
  for (const { id: paymentId, requestId } of reviews) {
    if (ordered.has(paymentId)) context.log.info({ paymentId, requestId }, 'review timed out');
  }
  return ordered.size > 0;
}

/** One that fails keeps no other from its time-out; it comes again. */
function timeOutAlone(context: SettlementContext, paymentId: string, since: Date): Promise<boolean> {
  return timeOutReview(context, paymentId, since).catch((error: unknown) => {
    context.log.warn({ err: error, paymentId }, 'a review could not be timed out; trying again');
    return false;
  });
}
