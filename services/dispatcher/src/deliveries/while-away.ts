import { DatabaseUnavailable } from '@payments/database/errors';

const againMs = 250;

/**
 * Does again what a database that is away could not take; it must be fit for that.
 * @throws what `work` did, once `patienceMs` are over or the database was there
 */
export async function whileAway<T>(patienceMs: number, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  }
}
