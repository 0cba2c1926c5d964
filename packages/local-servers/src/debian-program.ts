import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { BackingServiceError } from './backing-server.ts';
import { findExecutable } from './executable.ts';

const run = promisify(execFile);

/** A program of a Debian package: its path in there, and what a person does who wants to install it. */
export type DebianProgram = { name: string; path: string; howToGetIt: string };

/** @returns the place of a program that an earlier start downloaded */
export function downloadedProgram(name: string): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'public-payments', name);
}

/** Keeps the program that `take` finds with the help of an empty folder. @returns its place */
export async function keepProgram(name: string, take: (folder: string) => Promise<string>): Promise<string> {
  const target = downloadedProgram(name);
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  try {
    const program = await take(folder);
    await mkdir(dirname(target), { recursive: true });
    // Two starts may download at once: each writes its own file, and the last rename wins.
    await cp(program, `${target}.${process.pid}`);
    await rename(`${target}.${process.pid}`, target);
    return target;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Takes a program out of Debian's package, without installing it.
 * @returns undefined on a machine without Debian's tools
 * @throws BackingServiceError that says how to get it
 */
export async function programFromPackage(
  { name, path, howToGetIt }: DebianProgram,
  folder: string,
  report: (line: string) => void,
): Promise<string | undefined> {
  if (!['apt-get', 'dpkg-deb'].every((tool) => findExecutable(tool))) return undefined;
  report(`no ${name} on this machine: downloading the Debian package ${name}`);
  await aptDownload({ name, howToGetIt }, folder, report);
  const archive = (await readdir(folder)).find((file) => file.endsWith('.deb'));
  if (archive === undefined) return undefined;
  await run('dpkg-deb', ['-x', join(folder, archive), join(folder, 'files')]);
  return join(folder, 'files', path);
}

async function aptDownload(
  { name, howToGetIt }: Omit<DebianProgram, 'path'>,
  cwd: string,
  report: (line: string) => void,
) {
  const get = () => run('apt-get', ['-qq', 'download', name], { cwd });
  try {
    return await get();
  } catch {
    // A bare image has no package lists, or old ones.
  }
  try {
    if (process.getuid?.() === 0) {
      report('refreshing the package lists (apt-get update)');
      await run('apt-get', ['-qq', 'update']);
    }
    return await get();
  } catch (error) {
    const reason =
      String((error as { stderr?: string }).stderr ?? error).match(/^E: .*/m)?.[0] ?? 'no answer';
    throw new BackingServiceError(`${howToGetIt} (apt-get: ${reason.replace('E: ', '')})`);
  }
}
