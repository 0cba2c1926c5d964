import { type Loop, startLoop } from '@payments/runtime/loop';
import type { Logger } from 'pino';
import type { EventsConnection } from './connection.ts';
import { EventsUnavailable } from './errors.ts';
import { type Publication, publish } from './publish.ts';

export type SweepOptions = {
  connection: EventsConnection;
  /** Claims a batch of what was left in the outbox, hands it to `publish`, takes out what that returns; says how many. */
  sweep: (limit: number, publish: (batch: Publication[]) => Promise<string[]>) => Promise<number>;
  /** Hears how many events of a batch were published. */
  onPublished: (count: number) => void;
  log: Logger;
  /** A second unless told. */
  intervalMs?: number;
};

const batchSize = 200;

/**
 * Publishes what was left in the outbox, for as long as it runs: by processes that crashed, or while NATS was away.
 * Several sweeps share the work.
 */
export function startSweep({ connection, sweep, onPublished, log, intervalMs = 1_000 }: SweepOptions): Loop {
  const loop = startLoop({
    intervalMs,
    turn: async () => {
      // Without NATS there is nothing to do; asking first keeps row locks and log lines away.
      if (!connection.isConnected()) return false;
      const published = await sweep(batchSize, (batch) => publish(connection, batch));
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
