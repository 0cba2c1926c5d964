const parts = /^(\w+:\/\/(?:[^/?]*@)?)([^/?]*)(.*)$/s;
const writable = ['read-write', 'primary'];

/**
 * @param url PostgreSQL as libpq takes it: `postgres://user:password@host:5432,other:5432/name?target_session_attrs=read-write`
 * @returns a URL for each host, in their order
 * @throws TypeError that says what a DATABASE_URL must be
 */
export function databaseServers(url: string): string[] {
  const [, account = '', hosts = '', rest = ''] = parts.exec(url.trim()) ?? [];
  const list = hosts.split(',');
  const servers = list.map((host) => URL.parse(`${account}${host}${rest}`));
  if (/\s/.test(url.trim()) || servers.includes(null) || (list.length > 1 && list.includes('')))
    throw new TypeError('must be a valid URL');
  const wanted = servers[0]?.searchParams.get('target_session_attrs') ?? 'read-write';
  if (!writable.includes(wanted)) throw new TypeError('must have target_session_attrs=read-write, or none');
  return list.map((host) => `${account}${host}${rest}`);
}
