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
  /** Hears how many events of a batch were published. */
  onPublished: (count: number) => void;
  log: Logger;
};

export type Publishing = {
  /** Lets what is being published end, bounded; what is left after that another process publishes. */
  stop(): Promise<void>;
};

/** Brings committed events to JetStream: this process's own at once, and what any process left in the outbox. */
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
