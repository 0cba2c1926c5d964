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

/** What the code says of the stream. All else, such as replicas and limits of size, is for operators to set. */
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
  // What a killed process had taken comes again this much later. Entering a batch takes far less, and twice is once.
  ack_wait: nanos(ackWaitMs),
  max_ack_pending: 5_000,
  max_deliver: -1,
} satisfies Partial<ConsumerConfig>;

/**
 * Makes the stream, and the dispatchers' consumer, where they are missing, and brings them to what the code says where
 * they exist; safe to repeat and to race.
 */
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

/** @returns the configuration of what is there, or undefined */
async function existing(info: Promise<{ config: object }>): Promise<Existing | undefined> {
  return info.then(
    ({ config }) => config as Existing,
    (error: { api_error?: { code?: number } }) => {
      if (error.api_error?.code === 404) return undefined;
      throw error;
    },
  );
}
