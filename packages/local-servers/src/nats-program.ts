import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { BackingServiceError } from './backing-server.ts';
import { downloadedProgram, keepProgram, programFromPackage } from './debian-program.ts';
import { findExecutable } from './executable.ts';
import { programFromImage } from './nats-image.ts';

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
