import { setTimeout } from 'node:timers/promises';
import { type ConnectionOptions, connect, type NatsConnection } from 'nats';
import type { Logger } from 'pino';

const retryMs = 500;

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
export async function connectOnceThere(
  server: Server,
  log: Logger,
  stopping: AbortSignal,
): Promise<NatsConnection | undefined> {
  let told: string | undefined;
  while (!stopping.aborted) {
    try {
      return await connect(optionsOf(server));
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== told) log.warn({ err: error }, 'NATS can’t be reached; trying on');
      told = code;
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
