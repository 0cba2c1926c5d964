import type { ThrowawayServer } from '@payments/backing-services/backing-server';
import { throwawayPostgres, throwawaySource } from '@payments/backing-services/throwaway';
import { sharedServer } from './shared-server.ts';

/** URL of the PostgreSQL of this test run (`TEST_POSTGRES_URL`), or of one made for this process. */
export const postgresUrl = sharedServer('TEST_POSTGRES_URL', startOwnPostgres);

/** A PostgreSQL for a test that stops, kills and starts it; `remove` it at the end. */
export async function startOwnPostgres(): Promise<ThrowawayServer> {
  return throwawayPostgres(await throwawaySource());
}
