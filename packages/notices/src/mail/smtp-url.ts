import { BlockList, isIP } from 'node:net';

/** A mail server, as `SMTP_URL` names it. */
export type MailServer = {
  host: string;
  port: number;
  /** TLS from the first byte (`smtps://`); otherwise the server is asked for it (STARTTLS). */
  isTls: boolean;
  /** Undefined for a server that asks nobody who sends. */
  credentials: { user: string; pass: string } | undefined;
  /** True if the server is this machine: nobody stands between, so its certificate proves nothing. */
  isLocal: boolean;
};

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/**
 * Reads `SMTP_URL`: `smtp://user:password@host:587` or `smtps://…:465`, with `%40` for an `@` in the user or password.
 * @returns the server, or what is wrong with the text, to be put behind the variable's name
 */
export function readSmtpUrl(text: string): MailServer | string {
  const url = URL.parse(text);
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '')
    return 'must be smtp://user:password@host:port or smtps://…';
  if (url.search !== '' || url.hash !== '' || !['', '/'].includes(url.pathname))
    return 'must end with the host and port';
  const credentials = credentialsOf(url);
  if (credentials === null) return 'must have a user and a password, or neither, and %25 for a percent sign';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isTls = url.protocol === 'smtps:';
  const port = url.port === '' ? (isTls ? 465 : 587) : Number(url.port);
  if (port === 0) return 'must have a port of 1 or more';
  return { host, port, isTls, credentials, isLocal: isLocal(host) };
}

/** @returns null if only one of both is given, or their percent signs can't be decoded */
function credentialsOf({ username, password }: URL): MailServer['credentials'] | null {
  if (username === '' && password === '') return undefined;
  if (username === '' || password === '') return null;
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  } catch {
    return null;
  }
}

function isLocal(host: string): boolean {
  const family = isIP(host);
  return family === 0 ? host === 'localhost' : loopback.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
