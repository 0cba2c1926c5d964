import pg from 'pg';
import { eventually } from './system.ts';

/** Resolves when no session of a program is at work in a database: one that was killed may be, for a moment. */
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
