import type { ConnectionOptions } from 'nats';

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
