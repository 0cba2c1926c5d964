import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';

const pauseMs = 1_000;

/**
 * Waits for the database to answer, with a log line a try, instead of crashing in a loop.
 * @param check rejects with an error named DatabaseUnavailable while the database is away
 * @param stopping ends the wait: it rejects then
 * @returns what the check does
 * @throws any other error, such as a schema that is too old
 */
export async function waitForDatabase<T>(
  check: () => Promise<T>,
  log: Logger,
  stopping?: AbortSignal,
): Promise<T> {
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'DatabaseUnavailable') throw error;
      log.warn({ reason: reasonOf(error.cause) }, 'waiting for the database');
      await setTimeout(pauseMs, undefined, { signal: stopping });
    }
  }
}

/** A code where there is one: a driver's message may name more than a log should hold. */
function reasonOf(cause: unknown): string | undefined {
  const { code, message } = (cause ?? {}) as { code?: string; message?: string };
  return code ?? message;
}
