import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';

/** Deletes published events from the outbox, many in one statement. */
export type Removal = {
  add(eventId: string): void;
  /** Deletes the remaining events without waiting for more. */
  end(): Promise<void>;
};

// Nothing waits for the removal. A crash within this time publishes an event twice.
const gatherMs = 50;

/** An event whose removal fails is published again, under the same id, and then removed. */
export function startRemoval(remove: (eventIds: string[]) => Promise<void>, log: Logger): Removal {
  let gathered: string[] = [];
  let removing: Promise<void> | undefined;
  const ended = new AbortController();

  const removeGathered = async () => {
    await setTimeout(gatherMs, undefined, { signal: ended.signal }).catch(() => {});
    while (gathered.length > 0) {
      const batch = gathered;
      gathered = [];
      await remove(batch).catch((error: unknown) => {
        const events = batch.length;
        log.warn({ err: error, events }, 'published events stay in the outbox; they are published again');
      });
    }
    removing = undefined;
  };

  return {
    add: (eventId) => {
      gathered.push(eventId);
      removing ??= removeGathered();
    },
    end: async () => {
      ended.abort();
      await removing;
    },
  };
}
