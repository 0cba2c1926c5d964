import pg from 'pg';

/**
 * Runs `copy`, which copies the server's data, as a base backup.
 * @returns the backup's label, for `backup_label`
 */
export function baseBackup(url: string, copy: () => Promise<void>): Promise<string> {
  return inSession(url, async (client) => {
    await client.query("select pg_backup_start('base', true)");
    await copy();
    const { rows } = await client.query('select labelfile from pg_backup_stop(wait_for_archive => false)');
    return rows[0].labelfile;
  });
}

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
