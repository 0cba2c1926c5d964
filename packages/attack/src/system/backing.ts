import { spawnSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase } from '@payments/testing/database';
import { type DurableServers, startDurableServers } from '@payments/testing/durable-servers';
import type { Cluster } from './cluster.ts';

/** PostgreSQL and NATS as our children, which accept every signal. */
export type Backing = {
  /** The values of DATABASE_URL; replicas take them in turn. */
  databaseUrls: [string, ...string[]];
  natsUrl: string;
  /** Settings that the services need with it. */
  env: Record<string, string>;
  /** Single servers, or else a cluster. */
  single: SingleServers | undefined;
  cluster: Cluster | undefined;
  close(): Promise<void>;
};

export type SingleServers = DurableServers & {
  /** Deletes all of NATS' data; NATS must be stopped. */
  deleteNatsData(): Promise<void>;
  /** Fills NATS' disk, or frees it; undefined if this machine can't create such a disk. */
  natsDisk: { fill(): Promise<void>; free(): Promise<void> } | undefined;
};

const diskBytes = 96 * 1_024 * 1_024;

/** Starts both in a folder, with the current schema. */
export async function startBacking(dir: string): Promise<Backing> {
  const natsDir = join(dir, 'nats');
  await mkdir(natsDir, { recursive: true });
  const ownDisk = mountSmallDisk(natsDir);
  const { postgres, nats } = await startDurableServers(dir);
  const { url: databaseUrl } = await createTestDatabase(postgres.url);
  const filler = join(natsDir, 'filler');
  const natsDisk = {
    // Writes as much as fits: the disk reports when it is full.
    fill: () => writeFile(filler, Buffer.alloc(diskBytes)).catch(() => {}),
    free: () => rm(filler, { force: true }),
  };
  const deleteNatsData = () => rm(join(natsDir, 'jetstream'), { recursive: true, force: true });
  return {
    databaseUrls: [databaseUrl],
    natsUrl: nats.url,
    env: {},
    single: { postgres, nats, deleteNatsData, natsDisk: ownDisk ? natsDisk : undefined },
    cluster: undefined,
    close: async () => {
      await Promise.all([postgres.kill(), nats.kill()]);
      if (ownDisk) spawnSync('umount', [natsDir]);
    },
  };
}

/** Creates a small disk in memory, which only root on Linux can do. */
function mountSmallDisk(dir: string): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', dir]).status === 0;
}
