import { createHash } from 'node:crypto';
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export type Checksum = { name: string; sha256: string };

/** @returns the files of a folder with their checksums, by name */
export async function checksumsOf(folder: string): Promise<Checksum[]> {
  const sums: Checksum[] = [];
  for (const name of readdirSync(folder).sort()) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(folder, name)), hash);
    sums.push({ name, sha256: hash.digest('hex') });
  }
  return sums;
}

/** @returns the file that `sha256sum --check` reads */
export function checksumFile(sums: readonly Checksum[]): string {
  return sums.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('');
}
