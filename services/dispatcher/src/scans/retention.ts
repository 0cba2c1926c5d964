import { forgetIdleEndpoints, removeOldDeliveries } from '@payments/database/deliveries/retention';
import {
  type Erasure,
  eraseAgain,
  finishErasures,
  listOpenErasures,
  storesOf,
} from '@payments/database/erasure/erasures';
import { eraseOldTexts } from '@payments/database/erasure/personal-data';
import { endOverdueMails, removeOldNotices } from '@payments/database/notices/retention';
import { eraseTestData } from '@payments/database/stores/test-data';
import type { EventsConnection } from '@payments/jetstream/connection';
import { eraseEvents } from '@payments/jetstream/stream';
import { givenUpAfterMs } from '@payments/notices/pauses';
import { createPace } from '@payments/runtime/pace';
import { firstDayToCheck } from '@payments/settlement/days/check-day';
import { inBatches, type Scan } from './scan.ts';

// A month that falls due at once leaves room for sales: 5,000 rows a second, of each dispatcher.
const batchesPerSecond = 10;
const batch = 500;
const dayMs = 24 * 60 * 60_000;

/** Deletes finished deliveries after their retention time, and then idle failing endpoints. */
export function removeOld(retentionDays: number): Scan {
  const pace = createPace(batchesPerSecond);
  return inBatches(batch, async ({ db, now }, limit) => {
    await pace();
    const before = new Date(now().getTime() - retentionDays * dayMs);
    await forgetIdleEndpoints(db, { before, limit });
    return removeOldDeliveries(db, { before, limit });
  });
}

/** Ends mails that nobody could send for days, and deletes mails and notices after the retention time. */
export function sweepNotices(retentionDays: number): Scan {
  const pace = createPace(batchesPerSecond);
  return inBatches(batch, async ({ db, now }, limit) => {
    await pace();
    const beforeMs = (ms: number) => new Date(now().getTime() - ms);
    const ended = await endOverdueMails(db, { before: beforeMs(givenUpAfterMs), limit });
    // A comparison that began before midnight may still run.
    const comparedSince = firstDayToCheck(beforeMs(dayMs));
    const old = { before: beforeMs(retentionDays * dayMs), comparedSince, limit };
    return Math.max(ended, await removeOldNotices(db, old));
  });
}

// Longer than any request lasts: none that began before the erasure writes after it.
const requestsEndMs = 20_000;
// A process publishes an event at most this long after its commit, with texts that it may have read before the erasure.
// Whoever publishes it later reads the erased texts.
const publishedMs = 15_000;

/** Ends erasures: payments that requests in flight wrote, and the events that JetStream keeps. */
export const finishOpenErasures =
  (events: EventsConnection): Scan =>
  async ({ db, log, now }) => {
    const writersEndMs = requestsEndMs + publishedMs;
    const due: Erasure[] = [];
    for (const open of await listOpenErasures(db)) {
      const isLast = now().getTime() - open.requestedAt.getTime() >= writersEndMs;
      const erasure = await eraseAgain(db, open, isLast);
      if (isLast) due.push(erasure);
    }
    if (due.length === 0) return false;
    // All in one pass: each reads the events that JetStream keeps of a store.
    const paymentIds = due.flatMap((erasure) => erasure.paymentIds);
    const erased = await eraseEvents(events, { paymentIds, storeIds: await storesOf(db, paymentIds) });
    await finishErasures(db, due, now());
    log.info({ erasures: due.length, payments: paymentIds.length, events: erased }, 'persons were erased');
    return false;
  };

/** Erases e-mails and observations of payments after their time (Contract: personal data). */
export const erasePersonalData = (days: number): Scan =>
  inBatches(500, ({ db, now }, limit) =>
    eraseOldTexts(db, { before: new Date(now().getTime() - days * dayMs), limit }),
  );

/** Erases payments of test stores after their time (Contract: test stores). */
export const eraseTests = (days: number): Scan =>
  inBatches(100, ({ db, now }, limit) =>
    eraseTestData(db, { before: new Date(now().getTime() - days * dayMs), limit }),
  );
