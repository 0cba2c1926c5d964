import { type Loop, startLoop } from '@payments/runtime/loop';
import type { Logger } from 'pino';
import type { EventsConnection } from './connection.ts';
import { EventsUnavailable } from './errors.ts';
import { type Publication, publish } from './publish.ts';

export type SweepOptions = {
  connection: EventsConnection;
  /** Claims a batch of the outbox, passes it to `publish`, and deletes the returned ids. Returns their number. */
  sweep: (limit: number, publish: (batch: Publication[]) => Promise<string[]>) => Promise<number>;
  /** Called with the number of published events of a batch. */
  onPublished: (count: number) => void;
  log: Logger;
  /** A second by default. */
  intervalMs?: number;
};

const batchSize = 200;

/** Publishes what crashed processes left in the outbox, or what waited for NATS. Several sweeps share the work. */
export function startSweep({ connection, sweep, onPublished, log, intervalMs = 1_000 }: SweepOptions): Loop {
  const loop = startLoop({
    intervalMs,
    turn: async () => {
      // Without NATS, the check avoids row locks and log lines.
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
