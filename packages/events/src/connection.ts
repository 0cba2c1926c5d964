import { setTimeout } from 'node:timers/promises';
import {
  AckPolicy,
  type ConnectionOptions,
  connect,
  Events,
  type JetStreamManager,
  type NatsConnection,
  nanos,
  RetentionPolicy,
  StorageType,
} from 'nats';
import type { Logger } from 'pino';
import { EventsUnavailable } from './errors.ts';
import { dispatcherConsumer, subjectPrefix } from './topology.ts';

export type EventsOptions = { url: string; stream: string; name: string; log: Logger };

/** A connection that makes itself, whenever NATS is there, and the stream and consumer with it. */
export type EventsConnection = {
  readonly stream: string;
  /** @throws EventsUnavailable while NATS is away */
  ready(): NatsConnection;
  /** Makes the stream, and the dispatchers' consumer, where they are missing; safe to repeat and to race. */
  ensureTopology(): Promise<void>;
  isConnected(): boolean;
  onReconnect(listener: () => void): void;
  /** Tells when the connection is lost, or closed. */
  onDisconnect(listener: () => void): void;
  close(): Promise<void>;
};

const retryMs = 500;
const ackWaitMs = 10_000;
const day = 24 * 60 * 60 * 1_000;

/** Starts connecting and returns at once: a service runs without NATS too (design 7.7). */
export function connectEvents({ url, stream, name, log }: EventsOptions): EventsConnection {
  let connection: NatsConnection | undefined;
  let up = false;
  let closed = false;
  const ended = new AbortController();
  const upListeners: (() => void)[] = [];
  const downListeners: (() => void)[] = [];
  const goUp = () => {
    up = true;
    for (const listener of upListeners) listener();
  };
  const goDown = () => {
    up = false;
    for (const listener of downListeners) listener();
  };

  const options: ConnectionOptions = {
    servers: url.split(','),
    name,
    timeout: 5_000,
    maxReconnectAttempts: -1,
    reconnectTimeWait: retryMs,
    pingInterval: 10_000,
    maxPingOut: 2,
  };
  // Not the client's own waiting for the first connection: it can't be ended, and gives up on a refusal.
  const establish = async () => {
    let told: string | undefined;
    while (!closed) {
      try {
        return await connect(options);
      } catch (error) {
        const { code } = error as { code?: string };
        if (code !== told) log.warn({ err: error }, 'NATS can’t be reached; trying on');
        told = code;
        await pause(retryMs, ended.signal);
      }
    }
    return undefined;
  };
  const connecting = establish().then(async (established) => {
    if (!established) return;
    connection = established;
    if (closed) return established.close();
    log.info({ server: established.getServer() }, 'connected to NATS');
    void watch(established);
    goUp();
  });

  const watch = async (established: NatsConnection) => {
    for await (const status of established.status()) {
      if (status.type === Events.Disconnect) {
        goDown();
        log.warn('lost the connection to NATS');
      } else if (status.type === Events.Reconnect) {
        log.info({ server: status.data }, 'connected to NATS again');
        goUp();
      }
    }
    goDown();
  };

  const ready = (): NatsConnection => {
    if (!connection || !up) throw new EventsUnavailable('NATS is unavailable');
    return connection;
  };

  return {
    stream,
    ready,
    ensureTopology: async () => {
      const manager = await ready().jetstreamManager({ timeout: 5_000 });
      await ensureStream(manager, stream);
      await ensureConsumer(manager, stream);
    },
    isConnected: () => up,
    onReconnect: (listener) => {
      upListeners.push(listener);
      if (up) listener();
    },
    onDisconnect: (listener) => {
      downListeners.push(listener);
    },
    close: async () => {
      const isUp = up;
      closed = true;
      up = false;
      ended.abort();
      await connecting;
      if (!connection || connection.isClosed()) return;
      // Nothing can be drained into a server that is away; asked to, the client would wait for it for ever.
      if (isUp) await connection.drain().catch(() => connection?.close());
      else await connection.close();
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal }).catch(() => {});
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
