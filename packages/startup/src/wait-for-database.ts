import { setTimeout } from 'node:timers/promises';
import { codeOf, DatabaseUnavailable, SchemaOutdated, tlsProblem } from '@payments/database/errors';
import { ConfigurationError } from '@payments/runtime/environment';
import type { Logger } from 'pino';

const pauseMs = 1_000;

/**
 * Waits until the database responds, with a log line for each try.
 * @param stopping ends the wait with a rejection
 * @param forMigrations also waits until another process has applied the migrations
 * @returns the result of the check
 * @throws ConfigurationError if the server refuses the user, the password or the database's name, TLS fails, or a pooler refuses our parameters
 */
export async function waitForDatabase<T>(
  check: () => Promise<T>,
  log: Logger,
  { stopping, forMigrations = false }: { stopping?: AbortSignal | undefined; forMigrations?: boolean } = {},
): Promise<T> {
  for (;;) {
    try {
      return await check();
    } catch (error) {
      const refusal =
        refusals[codeOf((error as Error).cause) ?? ''] ?? tlsProblem(error) ?? refusalOfPooler(error);
      if (refusal) throw new ConfigurationError(`DATABASE_URL: ${refusal}`);
      if (error instanceof DatabaseUnavailable)
        log.warn({ reason: reasonOf(error.cause) }, 'waiting for the database');
      else if (forMigrations && error instanceof SchemaOutdated)
        log.warn({ reason: error.message }, 'waiting for the migrations');
      else throw error;
      await setTimeout(pauseMs, undefined, stopping && { signal: stopping });
    }
  }
}

/** PostgreSQL's codes for wrong settings, which waiting can't cure. Its own messages name the user. */
const refusals: Record<string, string> = {
  '28P01': 'the server refuses the user or the password',
  '28000': 'the server does not let this user in',
  '3D000': 'the server has no database of this name',
};

/** PgBouncer takes only the startup parameters that it knows, or is told to ignore. */
function refusalOfPooler(error: unknown): string | undefined {
  const { message = '' } = ((error as Error).cause ?? {}) as Partial<Error>;
  const [, parameter] = /^unsupported startup parameter: (\w+)/.exec(message) ?? [];
  return parameter && `the pooler refuses the startup parameter ${parameter}: see ignore_startup_parameters`;
}

/** @returns the error's code, if it has one: a driver's message may hold more than a log should */
const reasonOf = (cause: unknown) => codeOf(cause) ?? (cause as Error | undefined)?.message;
