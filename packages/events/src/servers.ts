import type { ConnectionOptions } from 'nats';

/**
 * Reads `NATS_URL`, whose parts the client wants one by one.
 * @param urls servers of one cluster, comma-separated; `user:password@` or `token@` of the first that has it is for all,
 *   and with one `tls://` nothing is said without TLS
 */
export function serverOptions(urls: string): ConnectionOptions {
  const servers = urls.split(',').map((url) => new URL(url.trim()));
  const isSecure = servers.some(({ protocol }) => protocol === 'tls:');
  return {
    servers: servers.map(({ host }) => host),
    ...credentialsOf(servers.find(({ username }) => username !== '')),
    ...(isSecure ? { tls: {} } : {}),
  };
}

function credentialsOf(server: URL | undefined): ConnectionOptions {
  if (!server) return {};
  const [user, pass] = [decodeURIComponent(server.username), decodeURIComponent(server.password)];
  return pass === '' ? { token: user } : { user, pass };
}
