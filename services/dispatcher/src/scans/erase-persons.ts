import { findOpenErasure, finishErasure } from '@payments/database/people/erasures';
import { eraseOldTexts } from '@payments/database/people/retention';
import type { EventsConnection } from '@payments/events/connection';
import { eraseEvents } from '@payments/events/erase';
import type { Scan } from './scan.ts';

// Longer than any request lasts: none that began before the erasure writes after it.
const requestsEndMs = 20_000;
const dayMs = 24 * 60 * 60_000;

/** Ends erasures: what requests in flight wrote, and the events that JetStream keeps. */
export const finishErasures =
  (events: EventsConnection): Scan =>
  async ({ db, log, now }) => {
    const erasure = await findOpenErasure(db, new Date(now().getTime() - requestsEndMs));
    if (!erasure) return false;
    const erased = await eraseEvents(events, erasure);
    await finishErasure(db, erasure, now());
    log.info(
      { erasure: erasure.id, payments: erasure.paymentIds.length, events: erased },
      'a person was erased',
    );
    return true;
  };

/** Erases e-mails and observations of payments after their time (Contract: personal data). */
export const erasePersonalData =
  (days: number): Scan =>
  async ({ db, now }) => {
    const limit = 500;
    return (await eraseOldTexts(db, { before: new Date(now().getTime() - days * dayMs), limit })) === limit;
  };
