import { isDeepStrictEqual } from 'node:util';
import {
  type JetStreamManager,
  type NatsConnection,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from 'nats';
import type { Logger } from 'pino';
import { subjectPrefix } from './subjects.ts';

/** Callbacks about an existing stream. */
export type StreamReport = {
  changed(fields: object, message: string): void;
  /** A person has to decide. Called each time that the stream is found so. */
  unchanged(fields: object, message: string): void;
};

const dayMs = 24 * 60 * 60 * 1_000;

export type StreamSettings = { stream: string; replicas: number | undefined };

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
export async function ensureStream(
  connection: NatsConnection,
  settings: StreamSettings,
  report: StreamReport,
): Promise<void> {
  const manager = await connection.jetstreamManager({ timeout: 5_000 });
  const present = await presentConfig(manager, settings.stream);
  if (present) await update(manager, settings, present, report);
  else await manager.streams.add({ name: settings.stream, ...configOf(settings) });
}

/** @returns undefined without such a stream */
async function presentConfig(
  { streams }: JetStreamManager,
  stream: string,
): Promise<StreamConfig | undefined> {
  return streams.info(stream).then(
    ({ config }) => config,
    (error: { api_error?: { code?: number } }) => {
      if (error.api_error?.code === 404) return undefined;
      throw error;
    },
  );
}

/** Reports fields that can't be changed. The service works with the stream as it is. */
async function update(
  { streams }: JetStreamManager,
  settings: StreamSettings,
  present: StreamConfig,
  report: StreamReport,
): Promise<void> {
  const wanted = Object.entries(configOf(settings));
  const { stream } = settings;
  const is = Object.fromEntries(Object.entries(present));
  const differing = wanted.filter(([field, value]) => !isDeepStrictEqual(is[field], value));
  const told = (fields: [string, unknown][]) => ({
    stream,
    fields: Object.fromEntries(fields.map(([field, value]) => [field, { is: is[field], wanted: value }])),
  });
  const names = (fields: [string, unknown][]) => fields.map(([field]) => field).join(', ');
  const stuck = differing.filter(([field]) => fixed.includes(field));
  if (stuck.length > 0) report.unchanged(told(stuck), `the stream can’t be changed in ${names(stuck)}`);
  const open = differing.filter(([field]) => !fixed.includes(field));
  if (open.length === 0) return;
  try {
    await streams.update(stream, Object.fromEntries(open));
    report.changed(told(open), `the stream was changed in ${names(open)}`);
  } catch (error) {
    report.unchanged({ err: error, ...told(open) }, `the stream could not be changed in ${names(open)}`);
  }
}

/** The stream is checked after each loss of NATS, and often while it is full. A problem that stays is logged once. */
export function streamReport(log: Logger): StreamReport {
  const said = new Set<string>();
  return {
    changed: (fields, message) => log.info(fields, message),
    unchanged: (fields, message) => {
      if (!said.has(message)) log.error(fields, message);
      said.add(message);
    },
  };
}
