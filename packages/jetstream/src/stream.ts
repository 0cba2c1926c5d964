import { isDeepStrictEqual } from 'node:util';
import type { EventType } from '@payments/domain/events';
import {
  type JetStreamManager,
  type NatsConnection,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from 'nats';
import type { Logger } from 'pino';
import type { EventsConnection } from './connection.ts';
import { eventOf, readStream } from './read-back.ts';

/** @returns the first word of a stream's subjects: `payments` for the stream `PAYMENTS` */
export function subjectPrefix(stream: string): string {
  return stream.toLowerCase();
}

const lastWords: Record<EventType, string> = {
  'payment.created': 'created',
  'payment.status_changed': 'status_changed',
  'payment.updated': 'updated',
  'refund.updated': 'refund_updated',
};

/** @returns the subject of a store's events of one type, such as `payments.{storeId}.created` (Contract: stream) */
export function subjectOf(stream: string, storeId: string, type: EventType): string {
  return `${subjectPrefix(stream)}.${storeId}.${lastWords[type]}`;
}

const dayMs = 24 * 60 * 60 * 1_000;

export type StreamSettings = {
  stream: string;
  replicas: number | undefined;
  log: Logger;
  /** Problems that are logged already: the stream is checked after each loss of NATS, and often while it is full. */
  told: Set<string>;
};

/** The service's part of the stream's configuration. Operators set the rest, such as limits of size. */
const configOf = ({ stream, replicas }: StreamSettings) =>
  ({
    subjects: [`${subjectPrefix(stream)}.>`],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    max_age: nanos(7 * dayMs),
    duplicate_window: nanos(120_000),
    ...(replicas !== undefined && { num_replicas: replicas }),
  }) satisfies Partial<StreamConfig>;

/** The fields that NATS can't change on an existing stream. */
const fixed = ['storage', 'retention'];

/** Makes the stream, or updates an existing one to this configuration; safe to repeat and to race. */
export async function ensureStream(connection: NatsConnection, settings: StreamSettings): Promise<void> {
  const manager = await connection.jetstreamManager({ timeout: 5_000 });
  const present = await manager.streams.info(settings.stream).catch(undefinedIfMissing);
  if (present) await update(manager, settings, present.config);
  else await manager.streams.add({ name: settings.stream, ...configOf(settings) });
}

const undefinedIfMissing = (error: { api_error?: { code?: number } }): undefined => {
  if (error.api_error?.code !== 404) throw error;
};

/** Logs what can't be changed, for a person to decide. The service works with the stream as it is. */
async function update(
  { streams }: JetStreamManager,
  settings: StreamSettings,
  present: StreamConfig,
): Promise<void> {
  const { stream, log, told } = settings;
  const is = Object.fromEntries(Object.entries(present));
  const differing = Object.entries(configOf(settings)).filter(
    ([field, value]) => !isDeepStrictEqual(is[field], value),
  );
  const shown = (fields: [string, unknown][]) => ({
    stream,
    fields: Object.fromEntries(fields.map(([field, value]) => [field, { is: is[field], wanted: value }])),
  });
  const names = (fields: [string, unknown][]) => fields.map(([field]) => field).join(', ');
  const tellOnce = (fields: object, message: string) => {
    if (!told.has(message)) log.error(fields, message);
    told.add(message);
  };
  const stuck = differing.filter(([field]) => fixed.includes(field));
  if (stuck.length > 0) tellOnce(shown(stuck), `the stream can’t be changed in ${names(stuck)}`);
  const open = differing.filter(([field]) => !fixed.includes(field));
  if (open.length === 0) return;
  try {
    await streams.update(stream, Object.fromEntries(open));
    log.info(shown(open), `the stream was changed in ${names(open)}`);
  } catch (error) {
    tellOnce({ err: error, ...shown(open) }, `the stream could not be changed in ${names(open)}`);
  }
}

/**
 * Deletes the events of payments from JetStream, and overwrites their bytes.
 * @param payments the ids, and their stores
 * @returns how many events were deleted
 * @throws EventsUnavailable while NATS is down
 */
export async function eraseEvents(
  connection: EventsConnection,
  { paymentIds, storeIds }: { paymentIds: readonly string[]; storeIds: readonly string[] },
): Promise<number> {
  const { streams } = await connection.ready().jetstreamManager();
  const wanted = new Set(paymentIds);
  let erased = 0;
  for (const storeId of storeIds) {
    const filterSubjects = `${subjectPrefix(connection.stream)}.${storeId}.>`;
    for await (const batch of readStream(connection, { filterSubjects }, 1_000)) {
      for (const message of batch) {
        const event = eventOf(message);
        if (!event || !wanted.has(event.payment.id)) continue;
        await streams.deleteMessage(connection.stream, message.seq, true);
        erased += 1;
      }
    }
  }
  return erased;
}
