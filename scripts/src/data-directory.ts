import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning, startTimeOf } from '@payments/local-servers/is-running';
import { StartError } from './start-error.ts';

const patienceMs = 5000;

/**
 * Claims a DATA_DIR for one system: two PostgreSQL on the same data would destroy it.
 * @param pid a process that lives while the folder is in use
 * @param waitMs how long to wait for an owner that is ending
 * @returns a function that releases the folder
 * @throws StartError if another system has it
 */
export async function claimDataDirectory(
  dataDir: string,
  pid: number,
  waitMs = patienceMs,
): Promise<() => void> {
  try {
    makeFolder(join(dataDir, 'logs'));
  } catch (error) {
    throw new StartError(`DATA_DIR cannot be made: ${(error as Error).message}`);
  }
  const file = join(dataDir, 'in-use-by');
  // A killed owner may still be ending its servers.
  for (const deadline = Date.now() + waitMs; isAlive(read(file)); await delay(100)) {
    if (Date.now() < deadline) continue;
    throw new StartError(
      `${dataDir} is in use by another npm start: end that one, or set DATA_DIR to another folder`,
    );
  }
  writeFileSync(file, identityOf(pid));
  return () => rmSync(file, { force: true });
}

/** Node's own `recursive` never ends where an existing folder takes none, as /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const identityOf = (pid: number) => `${pid} ${startTimeOf(pid)}`;

function isAlive(identity: string): boolean {
  const pid = Number(identity.split(' ')[0]);
  return pid > 0 && identityOf(pid) === identity && isRunning(pid);
}
