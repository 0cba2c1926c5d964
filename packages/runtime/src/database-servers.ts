const parts = /^(\w+:\/\/(?:[^/?]*@)?)([^/?]*)(.*)$/s;
const writable = ['read-write', 'primary'];

/**
 * @param url PostgreSQL as libpq takes it: `postgres://user:password@host:5432,other:5432/name?target_session_attrs=read-write`
 * @returns a URL for each host, in their order
 * @throws TypeError that says what a DATABASE_URL must be
 */
export function databaseServers(url: string): string[] {
  // What follows it would be left out: the host, and the end of the password.
  if (url.includes('#')) throw new TypeError('must have %23 for a #');
  const [, account = '', hosts = '', rest = ''] = parts.exec(url.trim()) ?? [];
  const list = hosts.split(',');
  const servers = list.map((host) => URL.parse(`${account}${host}${rest}`));
  if (/\s/.test(url.trim()) || !servers.every(isServer) || (list.length > 1 && list.includes('')))
    throw new TypeError('must be a valid URL');
  const wanted = servers[0]?.searchParams.get('target_session_attrs') ?? 'read-write';
  if (!writable.includes(wanted)) throw new TypeError('must have target_session_attrs=read-write, or none');
  return list.map((host) => `${account}${host}${rest}`);
}

/** `pg` takes a percent sign that begins no code as one that is meant. */
const isServer = (url: URL | null) =>
  url !== null &&
  isDecodable(
    [url.username, url.password, url.host, url.pathname].join('').replace(/%(?![\da-f]{2})/gi, '%25'),
  );

/** @returns whether every `%` of a part of a URL begins the code of a character */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
