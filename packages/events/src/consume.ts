import { openSpan } from '@payments/tracing/tracing';
import { JSONCodec, type JsMsg, type MsgHdrs } from 'nats';
import type { Logger } from 'pino';
import type { EventsConnection } from './connection.ts';
import { deliveryHeader, requestIdHeader, traceParentHeader } from './publish.ts';
import { dispatcherConsumer } from './topology.ts';

export type ConsumeOptions = {
  connection: EventsConnection;
  /** Enters a batch of event ids; resolves once they are committed. Only then are they acknowledged. */
  enter: (eventIds: string[]) => Promise<void>;
  /** Hears of how many events were acknowledged: those that were entered, and those that have no delivery. */
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
 * While one batch is being entered the next one gathers, so batches grow with the load.
 */
export function consumeEvents({ connection, enter, onConsumed, log }: ConsumeOptions): Consumption {
  let stopped = false;
  let endPull: (() => void) | undefined;
  let gathered: JsMsg[] = [];
  let entering: Promise<void> | undefined;
  let unhurried: NodeJS.Timeout | undefined;

  const enterGathered = async () => {
    while (gathered.length > 0) {
      const batch = gathered.splice(0, batchSize);
      const consumed = await enterBatch(batch, enter, log);
      onConsumed?.(consumed);
    }
    // In the same step as the last look: a message that comes after it must not be left lying.
    entering = undefined;
  };
  const enterNow = () => {
    clearTimeout(unhurried);
    unhurried = undefined;
    if (gathered.length > 0) entering ??= enterGathered();
  };
  const gather = (message: JsMsg) => {
    gathered.push(message);
    if (hasDelivery(message)) enterNow();
    else unhurried ??= setTimeout(enterNow, unhurriedMs);
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
      // Back-pressure: no further pull before what was pulled is in the ledger.
      enterNow();
      await entering;
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
      await entering;
      gathered = [];
    },
  };
}

/** Never rejects: what could not be entered, or not be answered for, comes again. @returns how many it acknowledged */
async function enterBatch(batch: JsMsg[], enter: ConsumeOptions['enter'], log: Logger): Promise<number> {
  const eventIds = batch.map(eventIdOf);
  const toEnter = new Set(eventIds.filter((id, index) => id !== undefined && hasDelivery(batch[index])));
  let entered = true;
  try {
    if (toEnter.size > 0) await inSpans(batch, () => enter([...toEnter] as string[]));
  } catch (error) {
    entered = false;
    log.warn({ err: error, events: toEnter.size }, 'entering events failed; they come again');
  }
  for (const [index, message] of batch.entries()) answer(message, eventIds[index], entered, log);
  return entered ? new Set(eventIds.filter((id) => id !== undefined)).size : 0;
}

/** Each event has a span in its own trace; what is done for all of them at once shows in the first. */
async function inSpans(batch: readonly JsMsg[], enter: () => Promise<void>): Promise<void> {
  const spans = batch.flatMap((message) => {
    const parent = message.headers?.get(traceParentHeader);
    const attributes = { 'messaging.system': 'nats', 'messaging.operation.name': 'process' };
    return (parent && openSpan('consume event', { kind: 'consumer', attributes, parent })) || [];
  });
  try {
    await (spans[0]?.within(enter) ?? enter());
  } catch (error) {
    for (const span of spans) span.failed(error);
    throw error;
  } finally {
    for (const span of spans) span.end();
  }
}

function answer(message: JsMsg, eventId: string | undefined, entered: boolean, log: Logger): void {
  const ids = { eventId, requestId: requestIdOf(message.headers), streamSequence: message.seq };
  try {
    if (eventId === undefined) {
      log.error({ subject: message.subject, ...ids }, 'unreadable event; it is not taken again');
      message.term();
    } else if (entered) {
      message.ack();
      log.debug(ids, 'event entered');
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
