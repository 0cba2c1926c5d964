import type { Logger } from 'pino';
import type { EventsConnection } from './connection.ts';
import type { Publication } from './publish.ts';
import { type PublisherOptions, startPublisher } from './publisher.ts';
import { type SweepOptions, startSweep } from './sweep.ts';

export type PublishingOptions = {
  connection: EventsConnection;
  outbox: {
    onCommitted(listener: (publication: Publication) => void): void;
    remove: PublisherOptions['remove'];
    sweep: SweepOptions['sweep'];
  };
  /** Called with the number of published events of a batch. */
  onPublished: (count: number) => void;
  log: Logger;
};

export type Publishing = {
  /** Finishes publishing within a limit. Another process publishes the rest. */
  stop(): Promise<void>;
};

/** Publishes this process's committed events at once, and what any process left in the outbox. */
export function startPublishing({ connection, outbox, onPublished, log }: PublishingOptions): Publishing {
  const publisher = startPublisher({ connection, remove: outbox.remove, onPublished, log });
  outbox.onCommitted(publisher.add);
  const sweep = startSweep({ connection, sweep: outbox.sweep, onPublished, log });
  return {
    stop: async () => {
      await Promise.all([publisher.stop(), sweep.stop()]);
    },
  };
}
