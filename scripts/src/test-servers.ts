import { throwawayNats, throwawayPostgres, throwawaySource } from '@payments/local-servers/throwaway';

export type TestServers = { postgres: string; nats: string; source: string; close(): Promise<void> };

/**
 * Finds PostgreSQL and NATS for a test run, first match: `DATABASE_URL` and `NATS_URL`, a container engine, this
 * machine's programs. Tests create their own databases and streams, so a given server keeps its data.
 * @throws BackingServiceError in one line
 */
export async function startTestServers(
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<TestServers> {
  const given = { postgres: env.DATABASE_URL, nats: env.NATS_URL };
  const source = given.postgres && given.nats ? 'embedded' : await throwawaySource();
  const [postgres, nats] = await Promise.all([
    given.postgres ? undefined : throwawayPostgres(source),
    given.nats ? undefined : throwawayNats(source, say),
  ]);
  const names = { container: 'a container', embedded: 'this machine' };
  const from = (url: string | undefined, variable: string) => (url ? variable : names[source]);
  return {
    postgres: given.postgres || postgres!.url,
    nats: given.nats || nats!.url,
    source: `PostgreSQL from ${from(given.postgres, 'DATABASE_URL')}, NATS from ${from(given.nats, 'NATS_URL')}`,
    close: async () => void (await Promise.all([postgres?.remove(), nats?.remove()])),
  };
}
