import pg from 'pg';
import { eventually } from './system.ts';

/** Resolves when a program has no active session in a database: a killed one may still have one for a moment. */
export async function untilIdle(url: string, applicationName: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const isIdle = async () => {
    const { rowCount } = await client.query(
      `select from pg_stat_activity where datname = current_database() and application_name = $1 and state <> 'idle'`,
      [applicationName],
    );
    return rowCount === 0 ? true : undefined;
  };
  try {
    await eventually(10_000, `${applicationName} to be idle`, isIdle);
  } finally {
    await client.end();
  }
}
