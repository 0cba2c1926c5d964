import type { ConnectionOptions } from 'nats';

/**
 * Parses `NATS_URL`, since the client needs its parts separately.
 * @param urls servers of one cluster, comma-separated. The first `user:password@` or `token@` holds for all. One
 * `tls://` requires TLS for all
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
