import type { JsMsg } from 'nats';
import type { Logger } from 'pino';
import type { EventsConnection } from './connection.ts';
import { hasDelivery, type Take, takeBatch } from './take-batch.ts';
import { dispatcherConsumer } from './topology.ts';

export type ConsumeOptions = {
  connection: EventsConnection;
  take: Take;
  /** Hears of how many events were acknowledged: those that were taken, and those that have no delivery. */
  onConsumed?: (count: number) => void;
  log: Logger;
};

export type Consumption = { stop(): Promise<void> };

const batchSize = 200;
const pullExpiresMs = 5_000;
// Nobody waits for the acknowledgement of an event without a delivery: many go in one write.
const unhurriedMs = 20;
const retryMs = 500;

/**
 * Takes events off the stream for as long as it runs, through every loss of NATS, of the stream or of the consumer.
 * While one batch is being taken the next one gathers, so batches grow with the load.
 */
export function consumeEvents({ connection, take, onConsumed, log }: ConsumeOptions): Consumption {
  let stopped = false;
  let endPull: (() => void) | undefined;
  let gathered: JsMsg[] = [];
  let taking: Promise<void> | undefined;
  let unhurried: NodeJS.Timeout | undefined;

  const takeGathered = async () => {
    while (gathered.length > 0) {
      const batch = gathered.splice(0, batchSize);
      const consumed = await takeBatch(batch, take, log);
      onConsumed?.(consumed);
    }
    // In the same step as the last look: a message that comes after it must not be left lying.
    taking = undefined;
  };
  const takeNow = () => {
    clearTimeout(unhurried);
    unhurried = undefined;
    if (gathered.length > 0) taking ??= takeGathered();
  };
  const gather = (message: JsMsg) => {
    gathered.push(message);
    if (hasDelivery(message)) takeNow();
    else unhurried ??= setTimeout(takeNow, unhurriedMs);
  };

  const pull = async () => {
    const consumer = await connection
      .ready()
      .jetstream()
      .consumers.get(connection.stream, dispatcherConsumer);
    while (!stopped) {
      const messages = await consumer.fetch({ max_messages: batchSize, expires: pullExpiresMs });
      endPull = () => messages.stop();
      for await (const message of messages) gather(message);
      // Back-pressure: no further pull before what was pulled is taken.
      takeNow();
      await taking;
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
      await taking;
      gathered = [];
    },
  };
}
