import type { Static, TObject, TSchema } from '@sinclair/typebox';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import { Value } from '@sinclair/typebox/value';
import { databaseServers, isDecodable } from './database-servers.ts';
import {
  noCertificate,
  plainDatabase,
  plainNats,
  unreadableFile,
  withAuthority,
  wrongNatsUrl,
} from './server-tls.ts';

/** A setting is missing or wrong. Its message is one line that names the variable. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

// Blanks may belong to a password, and to a key that has sealed secrets with them.
const isKeptWhole = /^SECRETS_KEY|_PASSWORD$/;

/**
 * Reads a process's settings once, at its start. Empty variables count as absent. Blanks around a value are no part of it: a
 * Secret of Kubernetes made by `echo` ends with a line break, and each line of a file from Windows with a CR.
 * @param schema one property per environment variable, with defaults
 * @throws ConfigurationError with the name of the first variable that is missing or wrong
 */
export function readEnvironment<T extends TObject>(schema: T, env: NodeJS.ProcessEnv): Static<T> {
  const lines = Object.entries(env).map(
    ([name, text = '']) => [name, text.replace(/(?<![\r\n])[\r\n]+$/, '')] as const,
  );
  const entries = lines.filter(([, text]) => text !== '');
  const given = Object.fromEntries(
    entries.map(([name, text]) => [name, isKeptWhole.test(name) ? text : text.trim()]),
  );
  const settings = checked(schema, given);
  for (const [name, value] of Object.entries(settings)) {
    const addresses = name === 'NATS_URL' ? String(value).split(',') : [String(value)];
    const problem = isAddress.test(name) && addresses.map(problemOf).find(Boolean);
    if (problem) throw new ConfigurationError(`${name} ${problem}`);
  }
  refuseOnePortTwice(settings);
  const isStrict = given.NODE_ENV === 'production';
  if (isStrict && 'SECRETS_KEY' in schema.properties && settings.SECRETS_KEY === undefined)
    throw new ConfigurationError('SECRETS_KEY is required in production');
  return withServers(settings, isStrict);
}

/** @returns the schema's variables alone, in their types and with their defaults */
function checked<T extends TObject>(
  { properties, required = [] }: T,
  given: Record<string, string>,
): Static<T> {
  const settings: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const text = given[name];
    const value = text === undefined ? schema.default : typed(schema, text);
    if (value !== undefined) settings[name] = value;
  }
  const missing = required.find((name) => settings[name] === undefined);
  if (missing !== undefined) throw new ConfigurationError(`${missing} is required`);
  for (const [name, value] of Object.entries(settings)) {
    const [error] = Value.Errors(properties[name] as TSchema, value);
    if (error) throw new ConfigurationError(`${name} ${brokenRule(error)}`);
  }
  return settings as Static<T>;
}

/** @returns a variable's text in its setting's type; the text itself if it has no such form */
function typed({ type }: TSchema, text: string): unknown {
  if (type === 'boolean') return ['true', 'false'].includes(text) ? text === 'true' : text;
  if (type !== 'integer' && type !== 'number') return text;
  // Number() also reads 0x10 and 1e3.
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** A second listener would find its port in use, by nobody else. */
function refuseOnePortTwice(settings: Record<string, unknown>): void {
  const ports = Object.entries(settings).filter(([name, port]) => isPort.test(name) && port !== 0);
  const names = new Map<unknown, string>();
  for (const [name, port] of ports) {
    const other = names.get(port);
    if (other) throw new ConfigurationError(`${name} must be another port than ${other}`);
    names.set(port, name);
  }
}

const isPort = /^([A-Z]+_)*PORT$/;

function brokenRule({ type, schema, message }: ValueError): string {
  switch (type) {
    case ValueErrorType.Boolean:
      return 'must be boolean';
    case ValueErrorType.Integer:
      return 'must be integer';
    case ValueErrorType.Number:
      return 'must be number';
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.NumberMinimum:
      return `must be >= ${schema.minimum}`;
    case ValueErrorType.IntegerMaximum:
    case ValueErrorType.NumberMaximum:
      return `must be <= ${schema.maximum}`;
    case ValueErrorType.StringMinLength:
      return `must NOT have fewer than ${schema.minLength} characters`;
    case ValueErrorType.StringMaxLength:
      return `must NOT have more than ${schema.maxLength} characters`;
    case ValueErrorType.StringPattern:
      return `must match pattern "${schema.pattern}"`;
    case ValueErrorType.Union:
      return `must be one of ${(schema.anyOf as TSchema[]).map(({ const: value }) => value).join(', ')}`;
    default:
      return `is not valid: ${message}`;
  }
}

// A pattern can't check that a port is valid, and that a host has no blanks. A `#` in a password would cut the address.
const isAddress = /(?<!DATABASE)_URL$|^OTEL_.*_ENDPOINT$/;

function problemOf(text: string): string | undefined {
  const url = URL.parse(text.trim());
  if (url === null || /\s/.test(text.trim())) return 'must be a valid URL';
  if (url.hash !== '') return 'must have %23 for a #';
  return isDecodable(url.username + url.password)
    ? undefined
    : 'must have %25 for a percent sign in a user or password';
}

/**
 * Checks how PostgreSQL and NATS are reached. In production nobody on the way may read along (Contract: encrypted ways).
 * @returns the settings, with `DATABASE_CA_FILE` as part of each PostgreSQL URL
 */
function withServers<Settings extends Record<string, unknown>>(
  settings: Settings,
  isStrict: boolean,
): Settings {
  const { DATABASE_CA_FILE, NATS_CA_FILE, NATS_URL } = settings as Partial<Record<string, string>>;
  refuse('DATABASE_CA_FILE', DATABASE_CA_FILE && noCertificate(DATABASE_CA_FILE));
  refuse('NATS_CA_FILE', NATS_CA_FILE && noCertificate(NATS_CA_FILE));
  if (NATS_URL) refuse('NATS_URL', wrongNatsUrl(NATS_URL));
  if (isStrict && NATS_URL) refuse('NATS_URL', plainNats(NATS_URL, settings));
  const databases = Object.entries(settings).filter(([name]) => name.endsWith('DATABASE_URL'));
  const urls = databases.map(([name, value]) => {
    const given = String(value);
    refuse(name, wrongDatabaseUrl(given));
    const url = DATABASE_CA_FILE ? withAuthority(given, DATABASE_CA_FILE) : given;
    refuse(name, unreadableFile(url));
    if (isStrict) refuse(name, plainDatabase(url, settings));
    return [name, url];
  });
  return { ...settings, ...Object.fromEntries(urls) };
}

function wrongDatabaseUrl(url: string): string | undefined {
  try {
    databaseServers(url);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function refuse(name: string, problem: string | undefined): void {
  if (problem) throw new ConfigurationError(`${name} ${problem}`);
}
