import { type Loop, startLoop } from '@payments/runtime/loop';
import type { Logger } from 'pino';
import type { EventsConnection } from './connection.ts';
import { EventsUnavailable } from './errors.ts';
import { type Publication, publish } from './publish.ts';

export type RelayOptions = {
  connection: EventsConnection;
  /** Claims a batch from the outbox, hands it to `publish`, marks what that returns; says how many were published. */
  relayBatch: (limit: number, publish: (batch: Publication[]) => Promise<string[]>) => Promise<number>;
  /** Hears how many events of a batch were published. */
  onPublished: (count: number) => void;
  intervalMs: number;
  log: Logger;
};

const batchSize = 200;

/** Publishes what is committed to the outbox, for as long as it runs; several relays share the work. */
export function startRelay({ connection, relayBatch, onPublished, intervalMs, log }: RelayOptions): Loop {
  const loop = startLoop({
    intervalMs,
    turn: async () => {
      // Without NATS there is nothing to do; asking first keeps row locks and log lines away.
      if (!connection.isConnected()) return false;
      const published = await relayBatch(batchSize, (batch) => publish(connection, batch));
      onPublished(published);
      return published === batchSize;
    },
    onError: (error) => {
      if (!(error instanceof EventsUnavailable))
        log.warn({ err: error }, 'publishing events failed; trying again');
    },
  });
  connection.onReconnect(() => loop.wake());
  return loop;
}
