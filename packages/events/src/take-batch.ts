import { openSpan } from '@payments/tracing/tracing';
import { JSONCodec, type JsMsg, type MsgHdrs } from 'nats';
import type { Logger } from 'pino';
import { deliveryHeader, requestIdHeader, traceParentHeader } from './publish.ts';

/** Takes on what is to be done of a batch of event ids; only when it resolves are they acknowledged. */
export type Take = (eventIds: string[]) => Promise<void>;

const comeAgainMs = 1_000;

/**
 * Takes on a batch of messages, and acknowledges them once that is done. Never rejects: what could not be taken, or not be answered for, comes again.
 * @returns how many events it acknowledged
 */
export async function takeBatch(batch: readonly JsMsg[], take: Take, log: Logger): Promise<number> {
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

/** Whether an event is to be delivered; who published it said so. */
export function hasDelivery(message: JsMsg | undefined): boolean {
  return message?.headers?.get(deliveryHeader) !== 'none';
}

function requestIdOf(headers: MsgHdrs | undefined): string | undefined {
  return headers?.get(requestIdHeader) || undefined;
}
