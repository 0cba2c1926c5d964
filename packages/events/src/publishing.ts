import { setTimeout as delay } from 'node:timers/promises';
import type { CommittedEvent } from '@payments/domain/events';
import { startLoop } from '@payments/runtime/loop';
import type { Logger } from 'pino';
import type { EventsConnection } from './connection.ts';
import { EventsUnavailable } from './errors.ts';
import { publish, publishEvent } from './publish.ts';

export type PublishingOptions = {
  connection: EventsConnection;
  outbox: {
    /** Registers a listener for every event that this process commits. */
    onCommitted(listener: (committed: CommittedEvent) => void): void;
    /** Deletes events that JetStream has stored. */
    remove(eventIds: string[]): Promise<void>;
    /** Claims a batch, passes it to `publish`, and deletes the returned ids. Returns their number. */
    sweep(limit: number, publish: (batch: CommittedEvent[]) => Promise<string[]>): Promise<number>;
  };
  /** Called with the number of published events of a batch. */
  onPublished: (count: number) => void;
  log: Logger;
};

export type Publishing = {
  /** Accepts no more events, and finishes those in flight within a limit. Another process publishes the rest. */
  stop(): Promise<void>;
};

const stoppingMs = 5_000;

/** Publishes this process's committed events at once, and what any process left in the outbox. */
export function startPublishing(options: PublishingOptions): Publishing {
  const publisher = startPublisher(options);
  const sweep = startSweep(options);
  return {
    stop: async () => {
      const ended = Promise.all([publisher.stop(), sweep.stop()]);
      await Promise.race([ended, delay(stoppingMs, undefined, { ref: false })]);
    },
  };
}

const maxInFlight = 2_000;

/** Publishes committed events straight from memory. What fails here is left to the sweep. */
function startPublisher({ connection, outbox, onPublished, log }: PublishingOptions): Publishing {
  const inFlight = new Set<Promise<void>>();
  const removal = startRemoval(outbox.remove, log);
  let stopped = false;
  const publishOne = async (committed: CommittedEvent) => {
    const id = await publishEvent(connection, committed);
    onPublished(1);
    removal.add(id);
  };
  outbox.onCommitted((committed) => {
    if (stopped || !connection.isConnected() || inFlight.size >= maxInFlight) return;
    const publishing = publishOne(committed)
      .catch((error: unknown) => log.debug({ err: error }, 'an event is left to the sweep'))
      .finally(() => inFlight.delete(publishing));
    inFlight.add(publishing);
  });
  return {
    stop: async () => {
      stopped = true;
      await Promise.all(inFlight);
      await removal.stop();
    },
  };
}

// Nothing waits for the removal. A crash within this time publishes an event twice.
const gatherMs = 50;

/** Deletes many published events in one statement. One that stays is published again, under the same id. */
function startRemoval(remove: (eventIds: string[]) => Promise<void>, log: Logger) {
  let gathered: string[] = [];
  const removeGathered = async () => {
    const batch = gathered;
    gathered = [];
    if (batch.length === 0) return false;
    await remove(batch).catch((error: unknown) => {
      const events = batch.length;
      log.warn({ err: error, events }, 'published events stay in the outbox; they are published again');
    });
    return false;
  };
  const loop = startLoop({ intervalMs: gatherMs, turn: removeGathered, onError: () => {} });
  return {
    add: (eventId: string) => void gathered.push(eventId),
    stop: async () => {
      await loop.stop();
      await removeGathered();
    },
  };
}

const sweepMs = 1_000;
const batchSize = 200;

/** Publishes what crashed processes left in the outbox, or what waited for NATS. Several sweeps share the work. */
function startSweep({ connection, outbox, onPublished, log }: PublishingOptions): Publishing {
  const sweep = async () => {
    // Without NATS, the check avoids row locks and log lines.
    if (!connection.isConnected()) return false;
    const published = await outbox.sweep(batchSize, (batch) => publish(connection, batch));
    onPublished(published);
    return published === batchSize;
  };
  const onError = (error: unknown) => {
    if (error instanceof EventsUnavailable) return;
    log.warn({ err: error }, 'publishing events failed; trying again');
  };
  const loop = startLoop({ intervalMs: sweepMs, turn: sweep, onError });
  connection.onReconnect(() => loop.wake());
  return loop;
}
