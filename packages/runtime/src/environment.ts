import type { Static, TObject } from '@sinclair/typebox';
import { Ajv, type ErrorObject } from 'ajv';
import { databaseServers } from './database-servers.ts';
import { noCertificate, plainDatabase, plainNats, unreadableFile, withAuthority } from './server-tls.ts';

/** A setting is missing or wrong. Its message is one line that names the variable. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/**
 * Reads a process's settings once, at its start. Empty variables count as absent.
 * @param schema one property per environment variable, with defaults
 * @throws ConfigurationError with the name of the first variable that is missing or wrong
 */
export function readEnvironment<T extends TObject>(schema: T, env: NodeJS.ProcessEnv): Static<T> {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const settings = checked(schema, given);
  for (const [name, value] of Object.entries(settings)) {
    const addresses = name === 'NATS_URL' ? String(value).split(',') : [String(value)];
    if (isAddress.test(name) && !addresses.every(isUrl))
      throw new ConfigurationError(`${name} must be a valid URL`);
  }
  const isStrict = env.NODE_ENV === 'production';
  if (isStrict && 'SECRETS_KEY' in schema.properties && settings.SECRETS_KEY === undefined)
    throw new ConfigurationError('SECRETS_KEY is required in production');
  return withServers(settings, isStrict);
}

/** @returns the schema's variables alone, in their types and with their defaults */
function checked<T extends TObject>(schema: T, given: Record<string, unknown>): Static<T> {
  const ajv = new Ajv({
    allErrors: true,
    coerceTypes: true,
    removeAdditional: 'all',
    useDefaults: true,
    // A check of the schema itself, and faster code, would take longer than one check of the variables.
    validateSchema: false,
    code: { optimize: false },
  });
  if (ajv.validate(schema, given)) return given as Static<T>;
  throw new ConfigurationError(explain(ajv.errors ?? []));
}

// A pattern can't check that a port is valid, and that a host has no blanks.
const isAddress = /(?<!DATABASE)_URL$|^OTEL_.*_ENDPOINT$/;
const isUrl = (text: string) => URL.canParse(text.trim()) && !/[\s]/.test(text.trim());

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

function explain(violations: ErrorObject[]): string {
  const [violation] = violations;
  if (!violation) return 'the settings are wrong';
  if (violation.keyword === 'required') return `${violation.params.missingProperty} is required`;
  const variable = violation.instancePath.slice(1);
  if (violation.keyword !== 'const') return `${variable} ${violation.message}`;
  const allowed = violations.flatMap(({ params }) => params.allowedValue ?? []);
  return `${variable} must be one of ${allowed.join(', ')}`;
}
