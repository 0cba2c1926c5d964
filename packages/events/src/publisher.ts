import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { EventsConnection } from './connection.ts';
import { EventsUnavailable } from './errors.ts';
import { type Publication, publish } from './publish.ts';
import { startRemoval } from './removal.ts';

export type PublisherOptions = {
  connection: EventsConnection;
  /** Takes events out of the outbox that JetStream has stored. */
  remove: (eventIds: string[]) => Promise<void>;
  /** Hears how many events of a batch were published. */
  onPublished: (count: number) => void;
  log: Logger;
};

export type Publisher = {
  /** Publishes an event that is committed, and in the outbox; whatever can't be published now stays there. */
  add(publication: Publication): void;
  /** Takes no more, and lets what it has taken be published and removed, for five seconds at most. */
  stop(): Promise<void>;
};

const batchSize = 200;
const maxBatches = 4;
// Nobody waits for an event without a delivery: it goes with others, for one write and one read each on its way.
const unhurriedMs = 20;
const maxWaiting = 2_000;
const stoppingMs = 5_000;

/** Publishes what this process commits, straight from memory; batches grow while others are under way. */
export function startPublisher({ connection, remove, onPublished, log }: PublisherOptions): Publisher {
  let waiting: Publication[] = [];
  let isDue = false;
  let isHeldUp = false;
  let unhurried: NodeJS.Timeout | undefined;
  let stopped = false;
  const underWay = new Set<Promise<void>>();
  const removal = startRemoval(remove, log);

  const publishBatch = async (batch: Publication[]) => {
    const stored = await publish(connection, batch).catch((error: unknown): string[] => {
      if (!(error instanceof EventsUnavailable))
        log.warn(
          { err: error, events: batch.length },
          'publishing events failed; they are left to the sweep',
        );
      return [];
    });
    onPublished(stored.length);
    removal.add(stored);
  };
  const publishWaiting = () => {
    isDue = false;
    clearTimeout(unhurried);
    unhurried = undefined;
    while (waiting.length > 0 && underWay.size < maxBatches) {
      const batch = publishBatch(waiting.splice(0, batchSize)).finally(() => {
        underWay.delete(batch);
        if (isHeldUp) publishWaiting();
      });
      underWay.add(batch);
    }
    isHeldUp = waiting.length > 0;
  };
  const end = async () => {
    publishWaiting();
    while (underWay.size > 0) await Promise.all(underWay);
    await removal.end();
  };

  return {
    add: (publication) => {
      if (stopped || !connection.isConnected() || waiting.length >= maxWaiting) return;
      waiting.push(publication);
      if (isDue) return;
      if (!publication.hasDelivery && waiting.length < batchSize) {
        unhurried ??= setTimeout(publishWaiting, unhurriedMs);
        return;
      }
      isDue = true;
      // What else is committed in this turn of the event loop goes along.
      setImmediate(publishWaiting);
    },
    stop: async () => {
      stopped = true;
      await within(stoppingMs, end());
      waiting = [];
    },
  };
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  const ended = new AbortController();
  await Promise.race([work, delay(ms, undefined, { signal: ended.signal }).catch(() => {})]);
  ended.abort();
}
