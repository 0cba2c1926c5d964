import { openSpan } from '@payments/tracing/tracing';
import { JSONCodec, type JsMsg, type MsgHdrs } from 'nats';
import type { Logger } from 'pino';
import type { EventsConnection } from './connection.ts';
import { deliveryHeader, requestIdHeader, traceParentHeader } from './publish.ts';
import { dispatcherConsumer } from './topology.ts';

export type ConsumeOptions = {
  connection: EventsConnection;
  /** Takes on what is to be done of a batch of event ids; only when it resolves are they acknowledged. */
  take: (eventIds: string[]) => Promise<void>;
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
const comeAgainMs = 1_000;

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

/** Never rejects: what could not be taken, or not be answered for, comes again. @returns how many it acknowledged */
async function takeBatch(batch: JsMsg[], take: ConsumeOptions['take'], log: Logger): Promise<number> {
  const eventIds = batch.map(eventIdOf);
  const toTake = new Set(eventIds.filter((id, index) => id !== undefined && hasDelivery(batch[index])));
  let taken = true;
  try {
    if (toTake.size > 0) await inSpans(batch, () => take([...toTake] as string[]));
  } catch (error) {
    taken = false;
    log.warn({ err: error, events: toTake.size }, 'taking events failed; they come again');
  }
  for (const [index, message] of batch.entries()) answer(message, eventIds[index], taken, log);
  return taken ? new Set(eventIds.filter((id) => id !== undefined)).size : 0;
}

/** Each event has a span in its own trace; what is done for all of them at once shows in the first. */
async function inSpans(batch: readonly JsMsg[], take: () => Promise<void>): Promise<void> {
  const spans = batch.flatMap((message) => {
    const parent = message.headers?.get(traceParentHeader);
    const attributes = { 'messaging.system': 'nats', 'messaging.operation.name': 'process' };
    return (parent && openSpan('consume event', { kind: 'consumer', attributes, parent })) || [];
  });
  try {
    await (spans[0]?.within(take) ?? take());
  } catch (error) {
    for (const span of spans) span.failed(error);
    throw error;
  } finally {
    for (const span of spans) span.end();
  }
}

function answer(message: JsMsg, eventId: string | undefined, taken: boolean, log: Logger): void {
  const ids = { eventId, requestId: requestIdOf(message.headers), streamSequence: message.seq };
  try {
    if (eventId === undefined) {
      log.error({ subject: message.subject, ...ids }, 'unreadable event; it is not taken again');
      message.term();
    } else if (taken) {
      message.ack();
      log.debug(ids, 'event taken');
    } else message.nak(comeAgainMs);
  } catch (error) {
    log.debug({ err: error, ...ids }, 'the connection was closed before an event could be acknowledged');
  }
}

const codec = JSONCodec<{ id?: unknown }>();
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function eventIdOf(message: JsMsg): string | undefined {
  try {
    const { id } = codec.decode(message.data);
    return typeof id === 'string' && uuid.test(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

function hasDelivery(message: JsMsg | undefined): boolean {
  return message?.headers?.get(deliveryHeader) !== 'none';
}

function requestIdOf(headers: MsgHdrs | undefined): string | undefined {
  return headers?.get(requestIdHeader) || undefined;
}
