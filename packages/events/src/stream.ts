import {
  AckPolicy,
  type ConsumerConfig,
  type JetStreamManager,
  type NatsConnection,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from 'nats';
import { type Existing, type TopologyReport, updateExisting } from './existing.ts';
import { dispatcherConsumer, subjectPrefix } from './topology.ts';

const ackWaitMs = 10_000;
const day = 24 * 60 * 60 * 1_000;

/** The settings that the code decides. Operators decide the others, such as replicas and size limits. */
const streamConfig = (name: string) =>
  ({
    subjects: [`${subjectPrefix(name)}.>`],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    max_age: nanos(7 * day),
    duplicate_window: nanos(120_000),
  }) satisfies Partial<StreamConfig>;

const consumerConfig = {
  ack_policy: AckPolicy.Explicit,
  // Unacknowledged events of a killed process are redelivered after this time. An acknowledgement takes far less.
  ack_wait: nanos(ackWaitMs),
  max_ack_pending: 5_000,
  max_deliver: -1,
} satisfies Partial<ConsumerConfig>;

/** Creates or updates the stream and the dispatchers' consumer. Repeated and concurrent calls are safe. */
export async function ensureTopology(
  connection: NatsConnection,
  stream: string,
  report: TopologyReport,
): Promise<void> {
  const manager = await connection.jetstreamManager({ timeout: 5_000 });
  await ensureStream(manager, stream, report);
  await ensureConsumer(manager, stream, report);
}

async function ensureStream(
  { streams }: JetStreamManager,
  name: string,
  report: TopologyReport,
): Promise<void> {
  const wanted = streamConfig(name);
  const present = await existing(streams.info(name));
  if (!present) return void (await streams.add({ name, ...wanted }));
  const update = (changes: Partial<StreamConfig>) => streams.update(name, changes);
  await updateExisting({
    what: 'stream',
    name,
    present,
    wanted,
    fixed: ['storage', 'retention'],
    update,
    report,
  });
}

async function ensureConsumer(
  { consumers }: JetStreamManager,
  stream: string,
  report: TopologyReport,
): Promise<void> {
  const name = dispatcherConsumer;
  const present = await existing(consumers.info(stream, name));
  if (!present) return void (await consumers.add(stream, { durable_name: name, ...consumerConfig }));
  const update = (changes: Partial<ConsumerConfig>) => consumers.update(stream, name, changes);
  const fixed = ['ack_policy'];
  await updateExisting({ what: 'consumer', name, present, wanted: consumerConfig, fixed, update, report });
}

/** @returns the existing configuration, or undefined */
async function existing(info: Promise<{ config: object }>): Promise<Existing | undefined> {
  return info.then(
    ({ config }) => config as Existing,
    (error: { api_error?: { code?: number } }) => {
      if (error.api_error?.code === 404) return undefined;
      throw error;
    },
  );
}
