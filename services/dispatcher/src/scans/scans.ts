import { claimDueCharges, claimExpired, hastenCharges } from '@payments/database/charges';
import { DatabaseUnavailable } from '@payments/database/errors';
import { forgetIdempotencyKeys } from '@payments/database/idempotency-keys';
import { forgetIdleEndpoints, removeOldDeliveries } from '@payments/database/retention';
import { findOverdueReviews, type OverdueReviews, type ReviewPosition } from '@payments/database/reviews';
import { createPace } from '@payments/runtime/pace';
import type { SettlementContext } from '@payments/settlement/context';
import { expirePayment } from '@payments/settlement/expire';
import { followCharge } from '@payments/settlement/follow-charge';
import { reconcile } from '@payments/settlement/reconcile';
import { reconcileReturned } from '@payments/settlement/reconcile-returned';
import { carryOutRefunds } from '@payments/settlement/refund';
import { timeOutReview, timeOutReviews as timeOutTogether } from '@payments/settlement/time-out-review';
import { inBatches } from './in-batches.ts';

/** One timed look at the database for work that time alone brings. @returns whether there may be more at once */
export type Scan = (context: SettlementContext) => Promise<boolean>;

const atOnce = 10;
// Of what takes a call to the PSP each: as many as are done before their lease ends, so that what a killed process
// had taken is soon taken up again.
const claimedAtOnce = 20;
const leaseMs = 15_000;
// A backlog of refunds is worked off beside everything else, at the machine and at the PSP.
const refundsPerSecond = 100;

/** PSPs that were away at the last look. */
const away = new WeakSet<SettlementContext['pix']>();

/**
 * Registers charges that the PSP has not taken yet, and withdraws cancelled ones. While the PSP is away a single
 * charge probes it, so that the others' waits grow no longer; when it is back, all of them are due at once.
 */
export const followCharges: Scan = async (context) => {
  const { db, pix, now } = context;
  const isBack = () => pix.breakerState() === 'closed';
  if (!isBack()) away.add(pix);
  const limit = away.has(pix) ? 1 : claimedAtOnce;
  const charges = await claimDueCharges(db, { limit, leaseMs, now: now() });
  await inBatches(charges, atOnce, (payment) => followCharge(context, payment));
  if (!isBack()) return false;
  if (!away.delete(pix)) return charges.length === limit;
  await hastenCharges(db, now());
  return true;
};

/** Gives up payments whose charge expired unpaid (design 5). */
export const expireCharges: Scan = async (context) => {
  const expired = await claimExpired(context.db, { limit: claimedAtOnce, leaseMs, now: context.now() });
  await inBatches(expired, atOnce, (payment) =>
    expirePayment(context, payment).catch((error: unknown) =>
      context.log.warn(
        { err: error, paymentId: payment.id },
        'an expired charge could not be checked; trying again',
      ),
    ),
  );
  return expired.length === claimedAtOnce && context.pix.breakerState() === 'closed';
};

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
    const { reviews, end } = await findOverdueReviews(context.db, { since, after, limit: claimedAtOnce });
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

/** Asks the PSP for refunds that were ordered, and after those that it has not finished. */
export function makeRefunds(): Scan {
  const begin = createPace(refundsPerSecond);
  return async (context) => {
    const limit = claimedAtOnce;
    return (await carryOutRefunds(context, { limit, begin })) === limit;
  };
}

/** Finds Pix, and refunds of Pix, whose callback never came. */
export const findMissedPix =
  (onFound: (count: number) => void): Scan =>
  async (context) => {
    const found = await reconcile(context);
    onFound(found);
    if (found > 0) context.log.warn({ found }, 'Pix were found that no callback had told of');
    await reconcileReturned(context);
    return false;
  };

/** Forgets idempotency keys after 24 hours. */
export const forgetKeys: Scan = async (context) => {
  const limit = 1_000;
  return (await forgetIdempotencyKeys(context.db, context.now(), limit)) === limit;
};

/** Removes finished deliveries after the time that they are kept, and forgets receivers that they were for. */
export const removeOld =
  (retentionDays: number): Scan =>
  async (context) => {
    const before = new Date(context.now().getTime() - retentionDays * 24 * 60 * 60_000);
    const limit = 500;
    await forgetIdleEndpoints(context.db, { before, limit });
    return (await removeOldDeliveries(context.db, { before, limit })) === limit;
  };
