import type { Static, TObject } from '@sinclair/typebox';
import { Ajv, type ErrorObject } from 'ajv';
import { databaseServers } from './database-servers.ts';

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
    if (name === 'DATABASE_URL') checkDatabaseUrl(String(value));
    const addresses = name === 'NATS_URL' ? String(value).split(',') : [String(value)];
    if (isAddress.test(name) && !addresses.every(isUrl))
      throw new ConfigurationError(`${name} must be a valid URL`);
  }
  return settings;
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
const isAddress = /(?<!^DATABASE)_URL$|^OTEL_.*_ENDPOINT$/;
const isUrl = (text: string) => URL.canParse(text.trim()) && !/[\s]/.test(text.trim());

function checkDatabaseUrl(url: string): void {
  try {
    databaseServers(url);
  } catch (error) {
    throw new ConfigurationError(`DATABASE_URL ${(error as Error).message}`);
  }
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
