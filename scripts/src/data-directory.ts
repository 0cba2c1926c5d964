import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from './start-settings.ts';

const patienceMs = 5000;

/**
 * Takes a DATA_DIR for one system alone: two PostgreSQL on the same data would destroy it.
 * @param pid the process that lives as long as anything uses the folder
 * @throws StartError when another system has it
 */
export async function claimDataDirectory(dataDir: string, pid: number): Promise<void> {
  try {
    mkdirSync(join(dataDir, 'logs'), { recursive: true });
  } catch (error) {
    throw new StartError(`DATA_DIR cannot be made: ${(error as Error).message}`);
  }
  const file = join(dataDir, 'in-use-by');
  // One that was killed a moment ago is still ending its servers.
  for (const deadline = Date.now() + patienceMs; isAlive(read(file)); await delay(100)) {
    if (Date.now() < deadline) continue;
    throw new StartError(
      `${dataDir} is in use by another npm start: end that one, or set DATA_DIR to another folder`,
    );
  }
  writeFileSync(file, identityOf(pid));
}

/** Lets the next start have it. */
export function releaseDataDirectory(dataDir: string): void {
  rmSync(join(dataDir, 'in-use-by'), { force: true });
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The time of its start tells a process from a later one with the same id (Linux). */
function identityOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`);
  return `${pid} ${stat.slice(stat.lastIndexOf(')')).split(' ')[20] ?? ''}`;
}

function isAlive(identity: string): boolean {
  const pid = Number(identity.split(' ')[0]);
  if (!pid || identityOf(pid) !== identity) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
