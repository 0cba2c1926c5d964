import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';

/** Takes published events out of the outbox, many with one statement. */
export type Removal = {
  add(eventId: string): void;
  /** Removes what is left now, without waiting for more. */
  end(): Promise<void>;
};

// Nobody waits for it; only a crash within this time has an event published twice.
const gatherMs = 50;

/** An event that can't be removed stays: it is published once more, under the same id, and removed then. */
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
