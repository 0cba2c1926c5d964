import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackingServer, ThrowawayServer } from './backing-server.ts';
import { hasContainerEngine } from './container-engine.ts';
import { startNatsContainer, startPostgresContainer } from './containers.ts';
import { type Keeper, openKeeper } from './keep.ts';
import { natsProgram } from './nats-program.ts';

export type Source = 'container' | 'embedded';

/** @returns where test servers come from: a container engine, else this machine's programs */
export async function throwawaySource(): Promise<Source> {
  return (await hasContainerEngine()) ? 'container' : 'embedded';
}

/**
 * Starts a PostgreSQL for tests, tuned for speed, which ends with this process.
 * @throws BackingServiceError
 */
export async function throwawayPostgres(source: Source): Promise<ThrowawayServer> {
  if (source === 'container') return startPostgresContainer();
  return kept('postgres', (keeper, dir) => keeper.startPostgres({ dir, tuning: 'fast', discard: true }));
}

/**
 * Starts a NATS with JetStream for tests, which ends with this process.
 * @throws BackingServiceError
 */
export async function throwawayNats(
  source: Source,
  report?: (line: string) => void,
): Promise<ThrowawayServer> {
  if (source === 'container') return startNatsContainer();
  const program = await natsProgram(report);
  return kept('nats', (keeper, dir) => keeper.startNats({ dir, program, discard: true }));
}

async function kept(name: string, start: (keeper: Keeper, dir: string) => Promise<BackingServer>) {
  const dir = await mkdtemp(join(await throwawayFolder(), `payments-test-${name}-`));
  const keeper = openKeeper();
  const server = await start(keeper, dir);
  return { ...server, remove: () => keeper.close() };
}

const memory = '/dev/shm';
const plenty = 4 * 2 ** 30;

/**
 * Chooses where a throwaway server keeps its files. A test run makes and drops hundreds of databases, each of hundreds
 * of files: on a disk's file system a new one takes five times as much of a processor as in memory.
 * @param inMemory Linux's folder that is in memory
 * @returns that folder if it and the memory have 4 GiB free, else the folder of temporary files
 */
export async function throwawayFolder(
  inMemory = memory,
  availableMemory = process.availableMemory(),
): Promise<string> {
  const { bavail, bsize } = await statfs(inMemory).catch(() => ({ bavail: 0, bsize: 0 }));
  return Math.min(bavail * bsize, availableMemory) >= plenty ? inMemory : tmpdir();
}
