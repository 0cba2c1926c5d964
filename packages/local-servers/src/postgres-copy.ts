import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
// A running server removes files that it needs no more; a base backup may lack them.
const isOnlyGone = (errors: string) =>
  errors
    .trim()
    .split('\n')
    .every((line) => line.endsWith('No such file or directory'));

/**
 * Copies the folder of a running server, without its WAL. Call it between `pg_backup_start` and `pg_backup_stop`.
 * @param to must not exist
 */
export async function copyPostgres(from: string, to: string): Promise<void> {
  await run('cp', ['-a', from, to]).catch((error: Error & { stderr: string }) => {
    if (!isOnlyGone(error.stderr)) throw error;
  });
  const data = join(to, 'data');
  for (const own of ['postmaster.pid', 'postmaster.opts']) await rm(join(data, own), { force: true });
  // Segments that were copied while they were written are worse than none.
  await run('find', [join(data, 'pg_wal'), '-type', 'f', '-delete']);
}
