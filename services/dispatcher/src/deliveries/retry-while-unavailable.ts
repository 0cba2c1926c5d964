import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseUnavailable } from '@payments/database/errors';

const againMs = 250;

/** Repeats work until the database is available. Rejects with any other error. */
export async function retryWhileUnavailable<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      await delay(againMs);
    }
  }
}
