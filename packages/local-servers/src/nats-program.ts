import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { BackingServiceError } from './backing-server.ts';
import { findExecutable } from './executable.ts';
import { programFromImage } from './nats-image.ts';

const run = promisify(execFile);
const usualPlaces = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  join(homedir(), 'go/bin'),
];
const howToGetIt =
  'No nats-server found: install it (Debian and Ubuntu: apt-get install nats-server; macOS: brew install nats-server), ' +
  'or set NATS_URL to a NATS of yours';

/**
 * @param report called with a line per long step
 * @returns the path of nats-server: from PATH or a usual place, an earlier download, or Debian's package
 * @throws BackingServiceError that says how to get it
 */
export async function natsProgram(report: (line: string) => void = () => {}): Promise<string> {
  const downloaded = join(cacheFolder(), 'nats-server');
  const found = findExecutable('nats-server', usualPlaces);
  if (found !== undefined) return found;
  if (!existsSync(downloaded)) await download(downloaded, report);
  return downloaded;
}

function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'public-payments');
}

/** Takes the program out of Debian's package, else out of the image that deploy/ pins. Installs and starts nothing. */
async function download(target: string, report: (line: string) => void) {
  const folder = await mkdtemp(join(tmpdir(), 'nats-server-'));
  try {
    const program = await firstOf([
      () => programFromPackage(folder, report),
      () => programFromImage(folder, report),
    ]);
    await mkdir(dirname(target), { recursive: true });
    // Two starts may download at once: each writes its own file, and the last rename wins.
    await cp(program, `${target}.${process.pid}`);
    await rename(`${target}.${process.pid}`, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @throws BackingServiceError with the first way's reason if none leads to the program */
async function firstOf(ways: (() => Promise<string | undefined>)[]): Promise<string> {
  let reason: unknown;
  for (const way of ways) {
    try {
      const program = await way();
      if (program !== undefined) return program;
    } catch (error) {
      reason ??= error;
    }
  }
  throw reason ?? new BackingServiceError(howToGetIt);
}

async function programFromPackage(
  folder: string,
  report: (line: string) => void,
): Promise<string | undefined> {
  if (!['apt-get', 'dpkg-deb'].every((tool) => findExecutable(tool))) return undefined;
  report('no nats-server on this machine: downloading the Debian package nats-server');
  await aptDownload(folder, report);
  const archive = (await readdir(folder)).find((name) => name.endsWith('.deb'));
  if (archive === undefined) return undefined;
  await run('dpkg-deb', ['-x', join(folder, archive), join(folder, 'files')]);
  return join(folder, 'files/usr/sbin/nats-server');
}

async function aptDownload(cwd: string, report: (line: string) => void) {
  const get = () => run('apt-get', ['-qq', 'download', 'nats-server'], { cwd });
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
