import { findOverdueReviews, type OverdueReview } from '@payments/database/payments/reviews';
import { createPace } from '@payments/runtime/pace';
import type { SettlementContext } from '@payments/settlement/context';
import { timeOutReview } from '@payments/settlement/decide';
import { carryOutRefunds } from '@payments/settlement/refunds/carry-out';
import { orderRefusedAgain } from '@payments/settlement/refunds/refused-refund';
import { type BankScan, inBatches, refundsPerSecond, type Scan } from './scan.ts';

const batch = 20;

/** Orders refused refunds again, whose pause is over. */
export const orderRefundsAgain = inBatches(batch, orderRefusedAgain);

/** Asks a bank for ordered refunds, and for the state of unfinished ones. */
export function makeRefunds(): BankScan {
  const begin = createPace(refundsPerSecond);
  return inBatches(batch, (context, limit) => carryOutRefunds(context, { limit, begin }));
}

// At once: others need connections, too.
const limit = 4;

/**
 * Times out payments that stayed in review too long, no faster than refunds are made. It goes through all overdue
 * payments page by page, then starts again.
 */
export function timeOutReviews(timeoutSeconds: number): Scan {
  const pace = createPace(refundsPerSecond);
  let after: OverdueReview | undefined;
  return async (context) => {
    const since = new Date(context.now().getTime() - timeoutSeconds * 1_000);
    const overdue = await findOverdueReviews(context.db, { since, after, limit });
    // Continues after a failed one: the next round tries it again.
    after = overdue.length === limit ? overdue.at(-1) : undefined;
    await Promise.all(overdue.map((review) => pace().then(() => timeOut(context, review, since))));
    return after !== undefined;
  };
}

async function timeOut(
  context: SettlementContext,
  { id: paymentId, requestId }: OverdueReview,
  since: Date,
): Promise<void> {
  try {
    const isTimedOut = await timeOutReview(context, paymentId, since);
    if (isTimedOut) context.log.info({ paymentId, requestId }, 'review timed out');
  } catch (error) {
    context.log.warn({ err: error, paymentId }, 'a review could not be timed out; trying again');
  }
}
