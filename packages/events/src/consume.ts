import type { JsMsg } from 'nats';
import type { Logger } from 'pino';
import type { EventsConnection } from './connection.ts';
import { deliveryHeader } from './publish.ts';
import { dispatcherConsumer } from './topology.ts';

export type ConsumeOptions = {
  connection: EventsConnection;
  /** Called when an event may have a due delivery. */
  onDeliveries: () => void;
  /** Called with the number of acknowledged events. */
  onConsumed?: (count: number) => void;
  log: Logger;
};

export type Consumption = { stop(): Promise<void> };

const batchSize = 200;
const pullExpiresMs = 5_000;
const retryMs = 500;

/**
 * Consumes events until stopped, through every loss of NATS, the stream or the consumer. An event only wakes the
 * dispatcher, since its delivery is in the database. So it is acknowledged at once.
 */
export function consumeEvents({ connection, onDeliveries, onConsumed, log }: ConsumeOptions): Consumption {
  let stopped = false;
  let endPull: (() => void) | undefined;

  const take = (message: JsMsg) => {
    if (hasDelivery(message)) onDeliveries();
    message.ack();
    onConsumed?.(1);
  };
  const pull = async () => {
    const { consumers } = connection.ready().jetstream();
    const consumer = await consumers.get(connection.stream, dispatcherConsumer);
    while (!stopped) {
      const messages = await consumer.fetch({ max_messages: batchSize, expires: pullExpiresMs });
      endPull = () => messages.stop();
      for await (const message of messages) take(message);
    }
  };
  const run = async () => {
    while (!stopped) {
      await connection
        .ensureTopology()
        .then(pull)
        .catch((error: unknown) => {
          if (connection.isConnected()) log.warn({ err: error }, 'taking events failed; trying again');
        });
      if (!stopped) await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  };
  const running = run();

  return {
    stop: async () => {
      stopped = true;
      endPull?.();
      await running;
    },
  };
}

/** @returns whether an event has a delivery, by its header */
function hasDelivery(message: JsMsg): boolean {
  return message.headers?.get(deliveryHeader) !== 'none';
}
