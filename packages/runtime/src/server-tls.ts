import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isThisMachine } from './addresses.ts';
import { databaseServers } from './database-servers.ts';

/** The settings of PostgreSQL and NATS that decide whether the way to them is encrypted. */
export type ServerSettings = {
  DATABASE_CA_FILE?: string;
  DATABASE_ALLOW_PLAIN?: string;
  NATS_CA_FILE?: string;
  NATS_ALLOW_PLAIN?: string;
};

/**
 * Makes a PostgreSQL URL one whose server must prove its name by a certificate of this authority.
 * @returns the same URL with `sslmode=verify-full` and `sslrootcert`
 */
export function withAuthority(url: string, caFile: string): string {
  const [server = '', query = ''] = url.trim().split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  parameters.set('sslmode', 'verify-full');
  parameters.set('sslrootcert', caFile);
  return `${server}?${parameters}`;
}

/**
 * Judges a PostgreSQL URL whose server is elsewhere. Only `verify-full` will do: `pg` 8 takes `require` and `verify-ca`
 * for the same, but its next major version believes any certificate, or any name, with them.
 * @returns what is wrong with it, or undefined
 */
export function plainDatabase(url: string, settings: ServerSettings): string | undefined {
  if (settings.DATABASE_ALLOW_PLAIN === 'true') return undefined;
  const isSafe = (server: string) =>
    isThisMachine(hostOf(server)) || hostOf(server).startsWith('/') || modeOf(server) === 'verify-full';
  if (databaseServers(url).every(isSafe)) return undefined;
  return (
    'must have sslmode=verify-full, or DATABASE_CA_FILE be set: PostgreSQL is not on this machine ' +
    '(DATABASE_ALLOW_PLAIN=true allows less)'
  );
}

const parameterOf = (server: string, name: string) => new URL(server).searchParams.getAll(name).at(-1);
const modeOf = (server: string) => parameterOf(server, 'sslmode');

/** Where `pg` connects to: the parameter goes before the URL's host, and a host that begins with / is a socket's folder. */
const hostOf = (server: string) =>
  parameterOf(server, 'host') ||
  decodeURIComponent(new URL(server).hostname) ||
  process.env.PGHOST ||
  'localhost';

/** @returns what is wrong with NATS's URL, or undefined: a sign in a password that is not percent-encoded ends its host */
export function wrongNatsUrl(urls: string): string | undefined {
  const servers = urls.split(',').map((url) => new URL(url.trim()));
  const isWhole = ({ pathname, search }: URL) => ['', '/'].includes(pathname) && search === '';
  return servers.every(isWhole) ? undefined : 'must end with the host and port';
}

/** @returns what is wrong with NATS's URL whose servers are elsewhere, or undefined */
export function plainNats(urls: string, settings: ServerSettings): string | undefined {
  if (settings.NATS_ALLOW_PLAIN === 'true' || settings.NATS_CA_FILE !== undefined) return undefined;
  const servers = urls.split(',').map((url) => new URL(url.trim()));
  if (servers.every(({ protocol, hostname }) => protocol === 'tls:' || isThisMachine(hostname)))
    return undefined;
  return (
    'must be tls:// for every server, or NATS_CA_FILE be set: NATS is not on this machine ' +
    '(NATS_ALLOW_PLAIN=true allows less)'
  );
}

const files: [parameter: string, problemOf: (file: string) => string | undefined][] = [
  ['sslrootcert', noCertificate],
  ['sslcert', noCertificate],
  ['sslkey', problemOf],
];

/** @returns which file of a PostgreSQL URL can't be used, or undefined */
export function unreadableFile(url: string): string | undefined {
  const [server = ''] = databaseServers(url);
  for (const [name, problemOf] of files) {
    const file = parameterOf(server, name);
    const problem = file && problemOf(file);
    if (problem) return `has ${name}, which ${problem}`;
  }
  return undefined;
}

const beginning = /(?=-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----)/;

/** @returns why a file has no certificates in PEM, one or several, or undefined */
export function noCertificate(file: string): string | undefined {
  const problem = problemOf(file);
  if (problem) return problem;
  try {
    // A connection reads no other form, and passes over one of several that it can't read.
    const parts = readFileSync(file, 'utf8').split(beginning);
    const certificates = parts.filter((part) => beginning.test(part));
    for (const certificate of certificates) new X509Certificate(certificate);
    return certificates.length > 0 ? undefined : 'has no certificate in PEM';
  } catch {
    return 'has a certificate that can’t be read';
  }
}

function problemOf(file: string): string | undefined {
  try {
    readFileSync(file);
    return undefined;
  } catch (error) {
    return `can't be read: ${(error as NodeJS.ErrnoException).code}`;
  }
}
