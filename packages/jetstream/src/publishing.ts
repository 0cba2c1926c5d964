import { setTimeout as delay } from 'node:timers/promises';
import type { CommittedEvent } from '@payments/domain/events';
import { startLoop } from '@payments/runtime/loop';
import type { Logger } from 'pino';
import { EventsUnavailable } from './acknowledged.ts';
import type { EventsConnection } from './connection.ts';
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

const maxInFlight = 2_000;
// Nothing waits for a removal. A crash within this time publishes an event twice, under the same id. The sweep, which takes
// what is left after two seconds, must not come first.
const removeMs = 1_000;
const sweepMs = 2_000;
const batchSize = 200;
const stoppingMs = 5_000;

/**
 * Publishes this process's committed events straight from memory, and then removes them from the outbox. A sweep
 * publishes what crashed processes left there, or what waited for NATS. Several processes share that work.
 * @returns its end, which accepts no more events, and finishes those in flight within a limit
 */
export function startPublishing({ connection, outbox, onPublished, log }: PublishingOptions) {
  const inFlight = new Set<Promise<void>>();
  let published: string[] = [];
  let stopped = false;
  const publishOne = async (committed: CommittedEvent) => {
    const id = await publishEvent(connection, committed);
    onPublished(1);
    published.push(id);
  };
  outbox.onCommitted((committed) => {
    if (stopped || !connection.isConnected() || inFlight.size >= maxInFlight) return;
    const publishing = publishOne(committed)
      .catch((error: unknown) => log.debug({ err: error }, 'an event is left to the sweep'))
      .finally(() => inFlight.delete(publishing));
    inFlight.add(publishing);
  });
  const removePublished = async () => {
    const batch = published;
    published = [];
    if (batch.length === 0) return false;
    await outbox.remove(batch).catch((error: unknown) => {
      const events = batch.length;
      log.warn({ err: error, events }, 'published events stay in the outbox; they are published again');
    });
    return false;
  };
  const sweep = async () => {
    // Without NATS, the check avoids row locks and log lines.
    if (!connection.isConnected()) return false;
    const swept = await outbox.sweep(batchSize, (batch) => publish(connection, batch));
    onPublished(swept);
    return swept === batchSize;
  };
  const onError = (error: unknown) => {
    if (error instanceof EventsUnavailable) return;
    log.warn({ err: error }, 'publishing events failed; trying again');
  };
  const removing = startLoop({ intervalMs: removeMs, turn: removePublished, onError });
  const sweeping = startLoop({ intervalMs: sweepMs, turn: sweep, onError });
  connection.onReconnect(() => sweeping.wake());
  const finish = async () => {
    stopped = true;
    await Promise.all([removing.stop(), sweeping.stop(), ...inFlight]);
    await removePublished();
  };
  return { stop: () => Promise.race([finish(), delay(stoppingMs, undefined, { ref: false })]) };
}
