import { setTimeout as delay } from 'node:timers/promises';
import { batching } from '@payments/database/batching';
import type { Database } from '@payments/database/connection';
import { releaseClaim } from '@payments/database/deliveries/claim';
import type { EndpointJudge } from '@payments/database/deliveries/endpoints';
import { type AttemptOutcome, concludeAttempts, recordAttempts } from '@payments/database/deliveries/record';
import { DatabaseUnavailable, isLockedOut } from '@payments/database/errors';
import type { Logger } from 'pino';

/** @returns whether the outcome's claim still held; never rejects */
export type Recorder = (outcome: AttemptOutcome) => Promise<boolean>;

export type RecorderOptions = {
  db: Database;
  judge: EndpointJudge;
  /** Called when a record made waiting deliveries due. */
  onReleased: () => void;
  log: Logger;
};

const restMs = 10_000;
const againMs = 250;
// Whatever is recorded in the same batch waits for the lock, too: not too often.
const lockedOutMs = 5_000;

/** Records the outcomes of attempts; those that end together share a statement. */
export function createRecorder({ db, judge, onReleased, log }: RecorderOptions): Recorder {
  const recordTogether = batching(
    async (outcomes: AttemptOutcome[]) => {
      const recorded = await retryWhileUnavailable(() => recordAttempts(db, outcomes));
      if (recorded.released > 0) onReleased();
      // The attempts are on record: whatever becomes of the rest, they are not repeated.
      await retryWhileUnavailable(() => concludeAttempts(db, judge, recorded)).catch((error: unknown) =>
        log.error({ err: error, attempts: outcomes.length }, 'endpoints were not judged by their attempts'),
      );
      return outcomes.map((outcome) => recorded.held.has(outcome));
    },
    { size: 500, storeOf: ({ delivery }) => delivery.storeId },
  );
  const recordUnlocked: Recorder = (outcome) =>
    recordTogether(outcome).catch(async (error: unknown) => {
      if (!isLockedOut(error)) throw error;
      await delay(lockedOutMs);
      return recordUnlocked(outcome);
    });
  return async (outcome) => {
    try {
      return await recordUnlocked(outcome);
    } catch (error) {
      const { delivery } = outcome;
      log.error(
        { err: error, deliveryId: delivery.id },
        'an attempt was not recorded; it will be made again',
      );
      await retryWhileUnavailable(() => releaseClaim(db, delivery, restMs)).catch((failure: unknown) =>
        log.error({ err: failure, deliveryId: delivery.id }, 'a claim was not released'),
      );
      return false;
    }
  };
}

/** @throws any error but an outage. A row that stays locked counts as an error: other stores are not to wait for it */
async function retryWhileUnavailable<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || isLockedOut(error)) throw error;
      await delay(againMs);
    }
  }
}
