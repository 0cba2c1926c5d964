import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BackingServiceError, reasonOf } from './backing-server.ts';
import { images } from './container-images.ts';
import { downloadedProgram, keepProgram, programFromPackage } from './debian-program.ts';
import { findExecutable } from './executable.ts';

const run = promisify(execFile);

/**
 * Copies nats-server out of NATS' image, with Docker or Podman. There it is linked statically, and runs on any Linux.
 * @param folder where it goes
 * @returns its path; undefined on other systems, and where there is no container engine
 * @throws BackingServiceError if the engine can't get the image
 */
export async function programFromImage(
  folder: string,
  report: (line: string) => void,
): Promise<string | undefined> {
  const engine = ['docker', 'podman'].map((name) => findExecutable(name)).find(Boolean);
  if (engine === undefined || process.platform !== 'linux') return undefined;
  report(`no nats-server on this machine: taking it from the image ${images.nats}`);
  try {
    const read = 'cat "$(command -v nats-server)"';
    const { stdout } = await run(engine, ['run', '--rm', '--entrypoint', 'sh', images.nats, '-c', read], {
      encoding: 'buffer',
      maxBuffer: 128 * 1024 * 1024,
    });
    const program = join(folder, 'nats-server');
    await writeFile(program, stdout, { mode: 0o755 });
    return program;
  } catch (error) {
    throw new BackingServiceError(`no nats-server from the image ${images.nats}: ${reasonOf(error)}`);
  }
}

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
const debianPackage = { name: 'nats-server', path: 'usr/sbin/nats-server', howToGetIt };

/**
 * @param report called with a line per long step
 * @returns the path of nats-server: from PATH or a usual place, an earlier download, or Debian's package
 * @throws BackingServiceError that says how to get it
 */
export async function natsProgram(report: (line: string) => void = () => {}): Promise<string> {
  const found = findExecutable('nats-server', usualPlaces);
  if (found !== undefined) return found;
  const downloaded = downloadedProgram('nats-server');
  return existsSync(downloaded) ? downloaded : download(report);
}

/** Takes the program out of Debian's package, else out of the image that deploy/ pins. Installs and starts nothing. */
const download = (report: (line: string) => void) =>
  keepProgram('nats-server', (folder) =>
    firstOf([
      () => programFromPackage(debianPackage, folder, report),
      () => programFromImage(folder, report),
    ]),
  );

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
