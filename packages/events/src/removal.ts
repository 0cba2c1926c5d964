import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';

/** Takes published events out of the outbox, many with one statement. */
export type Removal = {
  add(eventIds: readonly string[]): void;
  /** Removes what is left now, without waiting for more. */
  end(): Promise<void>;
};

// Nobody waits for it; only a crash within this time has an event published twice.
const gatherMs = 50;
const maxGathered = 10_000;

/** What can't be removed, or is too much, stays: it is published once more, under the same id, and removed then. */
export function startRemoval(remove: (eventIds: string[]) => Promise<void>, log: Logger): Removal {
  let gathered: string[] = [];
  let removing: Promise<void> | undefined;
  const ended = new AbortController();

  const removeGathered = async () => {
    while (gathered.length > 0) {
      await setTimeout(gatherMs, undefined, { signal: ended.signal }).catch(() => {});
      const batch = gathered;
      gathered = [];
      await remove(batch).catch((error: unknown) => {
        log.warn(
          { err: error, events: batch.length },
          'published events stay in the outbox; they are published again',
        );
      });
    }
    removing = undefined;
  };

  return {
    add: (eventIds) => {
      if (eventIds.length === 0 || gathered.length >= maxGathered) return;
      gathered.push(...eventIds);
      removing ??= removeGathered();
    },
    end: async () => {
      ended.abort();
      await removing;
    },
  };
}
