import { Events, type NatsConnection } from 'nats';
import type { Logger } from 'pino';
import { acknowledged, EventsUnavailable, type SendAcknowledged } from './acknowledged.ts';
import { connectOnceThere } from './connecting.ts';
import { ensureStream } from './stream.ts';

export type EventsOptions = {
  url: string;
  /** The servers' certificate authority, PEM, if it is none that this machine knows. */
  caFile?: string | undefined;
  stream: string;
  /** How many servers keep the stream. Undefined leaves the stream as it is. */
  replicas?: number | undefined;
  name: string;
  log: Logger;
};

/** A connection that connects by itself when NATS is there, and then makes the stream. */
export type EventsConnection = {
  readonly stream: string;
  /** @throws EventsUnavailable while NATS is down */
  ready(): NatsConnection;
  /** Rejects with EventsUnavailable also while NATS is down. */
  send: SendAcknowledged;
  /** Makes the stream, or updates it to the code's configuration; safe to repeat and to race. */
  ensureStream(): Promise<void>;
  isConnected(): boolean;
  /** Registers a listener for each time that NATS is there; also called at once if it is. */
  onReconnect(listener: () => void): void;
  close(): Promise<void>;
};

/** Starts connecting and returns at once: a service also runs without NATS. */
export function connectEvents({ url, caFile, stream, replicas, name, log }: EventsOptions): EventsConnection {
  let connection: NatsConnection | undefined;
  let send: SendAcknowledged;
  let up = false;
  const ended = new AbortController();
  const listeners: (() => void)[] = [];
  const goUp = () => {
    up = true;
    for (const listener of listeners) listener();
  };

  const connecting = connectOnceThere({ url, caFile, name }, log, ended.signal).then(async (established) => {
    if (!established) return;
    connection = established;
    if (ended.signal.aborted) return established.close();
    log.info({ server: established.getServer() }, 'connected to NATS');
    void watch(established);
    send = acknowledged(established);
    goUp();
  });

  const watch = async (established: NatsConnection) => {
    for await (const status of established.status()) {
      if (status.type === Events.Disconnect) {
        up = false;
        log.warn('lost the connection to NATS');
      } else if (status.type === Events.Reconnect) {
        log.info({ server: status.data }, 'connected to NATS again');
        goUp();
      }
    }
    up = false;
  };
  const told = new Set<string>();
  const ready = (): NatsConnection => {
    if (!connection || !up) throw new EventsUnavailable('NATS is unavailable');
    return connection;
  };

  return {
    stream,
    ready,
    send: async (message) => {
      ready();
      return send(message);
    },
    ensureStream: async () => ensureStream(ready(), { stream, replicas, log, told }),
    isConnected: () => up,
    onReconnect: (listener) => {
      listeners.push(listener);
      if (up) listener();
    },
    close: async () => {
      const isUp = up;
      up = false;
      ended.abort();
      await connecting;
      if (!connection || connection.isClosed()) return;
      // If the server is down, the client would wait for it for ever in `drain`.
      if (isUp) await connection.drain().catch(() => connection?.close());
      else await connection.close();
    },
  };
}
