import { existsSync } from 'node:fs';
import { downloadedProgram, keepProgram, programFromPackage } from './debian-program.ts';
import { findExecutable } from './executable.ts';

const debianPackage = {
  name: 'prometheus',
  path: 'usr/bin/promtool',
  howToGetIt: 'No promtool found: install Prometheus',
};

/**
 * @returns the path of promtool, Prometheus' own checker: from PATH, an earlier download, or Debian's package
 * @throws Error that says why there is none
 */
export async function promtoolProgram(): Promise<string> {
  const downloaded = downloadedProgram('promtool');
  const found = findExecutable('promtool') ?? (existsSync(downloaded) ? downloaded : undefined);
  if (found !== undefined) return found;
  return keepProgram('promtool', async (folder) => {
    const program = await programFromPackage(debianPackage, folder, () => {});
    if (program === undefined) throw new Error(debianPackage.howToGetIt);
    return program;
  });
}
