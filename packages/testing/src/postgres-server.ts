import type { ThrowawayServer } from '@payments/local-servers/backing-server';
import { throwawayPostgres, throwawaySource } from '@payments/local-servers/throwaway';
import { sharedServer } from './shared-server.ts';

/** @returns the URL of this test run's PostgreSQL (`TEST_POSTGRES_URL`), or of one for this process */
export const postgresUrl = sharedServer('TEST_POSTGRES_URL', startOwnPostgres);

/** Starts a PostgreSQL for a test that stops, kills and starts it. Call `remove` at the end. */
export async function startOwnPostgres(): Promise<ThrowawayServer> {
  return throwawayPostgres(await throwawaySource());
}
