import { spawnSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase } from '@payments/testing/database';
import { type DurableServers, startDurableServers } from '@payments/testing/durable-servers';

/** PostgreSQL and NATS as children of ours, for every signal. */
export type Backing = DurableServers & {
  databaseUrl: string;
  /** Removes all that NATS has stored; it must not run. */
  deleteNatsData(): Promise<void>;
  /** Fills the disk that NATS stores to, or makes room again; undefined where no such disk can be made. */
  natsDisk: { fill(): Promise<void>; free(): Promise<void> } | undefined;
  close(): Promise<void>;
};

const diskBytes = 96 * 1_024 * 1_024;

/** Starts both, with the current schema, in a folder that goes away with them. */
export async function startBacking(dir: string): Promise<Backing> {
  const natsDir = join(dir, 'nats');
  await mkdir(natsDir, { recursive: true });
  const ownDisk = mountSmallDisk(natsDir);
  const { postgres, nats } = await startDurableServers(dir);
  const { url: databaseUrl } = await createTestDatabase(postgres.url);
  const filler = join(natsDir, 'filler');
  return {
    postgres,
    nats,
    databaseUrl,
    deleteNatsData: () => rm(join(natsDir, 'jetstream'), { recursive: true, force: true }),
    natsDisk: ownDisk
      ? {
          // As much as fits: the disk says when it is full.
          fill: () => writeFile(filler, Buffer.alloc(diskBytes)).catch(() => {}),
          free: () => rm(filler, { force: true }),
        }
      : undefined,
    close: async () => {
      await Promise.all([postgres.kill(), nats.kill()]);
      if (ownDisk) spawnSync('umount', [natsDir]);
      await rm(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A disk in memory, small enough to be filled; only root on Linux can make one. */
function mountSmallDisk(dir: string): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', dir]).status === 0;
}
