import pg from 'pg';
import { eventually } from './patience.ts';

/** Uses a connection of its own, which ends with it. */
export async function inSession<Result>(
  url: string,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/**
 * Runs statements on a new connection.
 * @returns the rows of the last one
 */
export function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values?: unknown[],
): Promise<Row[]> {
  return inSession(url, async (client) => (await client.query<Row>(text, values)).rows);
}

/** Resolves when a program has no active session in a database: a killed one may still have one for a moment. */
export function untilIdle(url: string, applicationName: string): Promise<void> {
  return inSession(url, (client) =>
    eventually(`${applicationName} to be idle`, async () => {
      const { rowCount } = await client.query(
        `select from pg_stat_activity where datname = current_database() and application_name = $1 and state <> 'idle'`,
        [applicationName],
      );
      return rowCount === 0 ? true : undefined;
    }).then(() => {}),
  );
}
