import { inSession } from './sessions.ts';

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
