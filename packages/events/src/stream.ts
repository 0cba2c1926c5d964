import {
  AckPolicy,
  type JetStreamManager,
  type NatsConnection,
  nanos,
  RetentionPolicy,
  StorageType,
} from 'nats';
import { dispatcherConsumer, subjectPrefix } from './topology.ts';

const ackWaitMs = 10_000;
const day = 24 * 60 * 60 * 1_000;

/** Makes the stream, and the dispatchers' consumer, where they are missing; safe to repeat and to race. */
export async function ensureTopology(connection: NatsConnection, stream: string): Promise<void> {
  const manager = await connection.jetstreamManager({ timeout: 5_000 });
  await ensureStream(manager, stream);
  await ensureConsumer(manager, stream);
}

async function ensureStream(manager: JetStreamManager, stream: string): Promise<void> {
  // An existing stream is the operators' own: they may have tuned its limits and replicas.
  if (await exists(manager.streams.info(stream))) return;
  await manager.streams.add({
    name: stream,
    subjects: [`${subjectPrefix(stream)}.>`],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    max_age: nanos(7 * day),
    duplicate_window: nanos(120_000),
  });
}

async function ensureConsumer(manager: JetStreamManager, stream: string): Promise<void> {
  if (await exists(manager.consumers.info(stream, dispatcherConsumer))) return;
  await manager.consumers.add(stream, {
    durable_name: dispatcherConsumer,
    ack_policy: AckPolicy.Explicit,
    // What a killed process had taken comes again this much later. Entering a batch takes far less, and twice is once.
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: 5_000,
    max_deliver: -1,
  });
}

async function exists(info: Promise<unknown>): Promise<boolean> {
  return info.then(
    () => true,
    (error: { api_error?: { code?: number } }) => {
      if (error.api_error?.code === 404) return false;
      throw error;
    },
  );
}
