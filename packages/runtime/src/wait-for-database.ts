import type { Logger } from 'pino';

const pauseMs = 1_000;

/**
 * Waits for the database to answer, with a log line a try, instead of crashing in a loop.
 * @param check rejects with an error named DatabaseUnavailable while the database is away
 * @throws any other error, such as a schema that is too old
 */
export async function waitForDatabase(check: () => Promise<void>, log: Logger): Promise<void> {
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'DatabaseUnavailable') throw error;
      log.warn('waiting for the database');
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
