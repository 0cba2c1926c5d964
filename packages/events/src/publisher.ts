import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { EventsConnection } from './connection.ts';
import { type Publication, publishEvent } from './publish.ts';
import { startRemoval } from './removal.ts';

export type PublisherOptions = {
  connection: EventsConnection;
  /** Deletes stored events from the outbox. */
  remove: (eventIds: string[]) => Promise<void>;
  /** Called with the number of events that were published. */
  onPublished: (count: number) => void;
  log: Logger;
};

export type Publisher = {
  /** Publishes a committed event of the outbox. If that fails, the sweep publishes it. */
  add(publication: Publication): void;
  /** Accepts no more events, and publishes and removes the accepted ones, for five seconds at most. */
  stop(): Promise<void>;
};

const maxInFlight = 2_000;
const stoppingMs = 5_000;

/** Publishes this process's committed events straight from memory. */
export function startPublisher({ connection, remove, onPublished, log }: PublisherOptions): Publisher {
  const inFlight = new Set<Promise<void>>();
  const removal = startRemoval(remove, log);
  let stopped = false;

  const publishOne = async (publication: Publication) => {
    await publishEvent(connection, publication);
    onPublished(1);
    removal.add(publication.event.id);
  };
  const end = async () => {
    await Promise.all(inFlight);
    await removal.end();
  };

  return {
    add: (publication) => {
      if (stopped || !connection.isConnected() || inFlight.size >= maxInFlight) return;
      const publishing = publishOne(publication)
        .catch((error: unknown) => log.debug({ err: error }, 'an event is left to the sweep'))
        .finally(() => inFlight.delete(publishing));
      inFlight.add(publishing);
    },
    stop: async () => {
      stopped = true;
      await Promise.race([end(), delay(stoppingMs, undefined, { ref: false })]);
    },
  };
}
