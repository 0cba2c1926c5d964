import { setTimeout } from 'node:timers/promises';
import { type ConnectionOptions, connect, Events, type NatsConnection } from 'nats';
import type { Logger } from 'pino';
import { acknowledged, EventsUnavailable, type SendAcknowledged } from './acknowledged.ts';
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
    // NATS may come back while the connection is being closed: nobody may begin to listen then.
    if (ended.signal.aborted) return;
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
      // In `drain` the client waits for the server's answer, for ever if the server is down.
      if (isUp)
        await Promise.race([connection.drain(), setTimeout(drainingMs, undefined, { ref: false })]).catch(
          () => {},
        );
      await connection.close();
    },
  };
}

const retryMs = 500;
const drainingMs = 2_000;

type Server = { url: string; caFile: string | undefined; name: string };

const optionsOf = ({ url, caFile, name }: Server): ConnectionOptions => ({
  ...serverOptions(url, caFile),
  name,
  timeout: 5_000,
  maxReconnectAttempts: -1,
  // Without it the client gives up for good after two refusals, for example while a server loads its users.
  ignoreAuthErrorAbort: true,
  reconnectTimeWait: retryMs,
  pingInterval: 10_000,
  maxPingOut: 2,
});

/**
 * Connects, and retries until NATS is up. The client's own waiting can't be stopped, and gives up after a refusal.
 * @returns undefined if it was stopped before
 */
async function connectOnceThere(
  server: Server,
  log: Logger,
  stopping: AbortSignal,
): Promise<NatsConnection | undefined> {
  let told: string | undefined;
  while (!stopping.aborted) {
    try {
      return await connect(optionsOf(server));
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      const said = code ?? message;
      if (said !== told) log.warn({ err: error }, 'NATS can’t be reached; trying on');
      told = said;
      await setTimeout(retryMs, undefined, { signal: stopping }).catch(() => {});
    }
  }
  return undefined;
}

/**
 * Parses `NATS_URL`, since the client needs its parts separately.
 * @param urls servers of one cluster, comma-separated. The first `user:password@` or `token@` holds for all. One
 * `tls://` requires TLS for all
 * @param caFile the servers' certificate authority, read at each connection; it requires TLS, too
 */
export function serverOptions(urls: string, caFile?: string): ConnectionOptions {
  const servers = urls.split(',').map((url) => new URL(url.trim()));
  const isSecure = servers.some(({ protocol }) => protocol === 'tls:');
  return {
    servers: servers.map(({ host }) => host),
    ...credentialsOf(servers.find(({ username }) => username !== '')),
    ...(isSecure || caFile ? { tls: caFile ? { caFile } : {} } : {}),
  };
}

function credentialsOf(server: URL | undefined): ConnectionOptions {
  if (!server) return {};
  const [user, pass] = [decodeURIComponent(server.username), decodeURIComponent(server.password)];
  return pass === '' ? { token: user } : { user, pass };
}
