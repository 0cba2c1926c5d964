import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { OwnServer } from './backing-server.ts';
import { postgresAccount } from './postgres-account.ts';
import { foldersOf, postgresBinaries } from './postgres-binaries.ts';
import { startEmbeddedPostgres } from './postgres-embedded.ts';
import { initialisePostgres } from './postgres-initialise.ts';

const run = promisify(execFile);
// A killed process loses nothing that it wrote, so the pair needs no disk to sync.
const tuning = { tuning: 'fast', settings: ['synchronous_commit=on'] } as const;

/** A primary and its synchronous standby. */
export type PostgresPair = {
  primary: OwnServer;
  standby: OwnServer;
  /** Tells the standby to become the primary. It takes writes a moment later. */
  promote(): Promise<void>;
  /** Stops every process of the primary by SIGSTOP, as a host does that hangs. Linux only. */
  freezePrimary(): void;
  /** Kills both, also a frozen one. */
  kill(): Promise<void>;
};

/**
 * Starts both on free ports of 127.0.0.1. A commit is answered once the standby has it on disk.
 * @param dir created if missing
 */
export async function startPostgresPair(dir: string): Promise<PostgresPair> {
  const [first, second] = [join(dir, 'first'), join(dir, 'second')];
  const binaries = await postgresBinaries();
  await mkdir(first, { recursive: true });
  const account = postgresAccount(join(first, 'data'), foldersOf(binaries));
  await initialisePostgres(first, binaries, account);
  // A copy of a server that never ran is the simplest base backup.
  await run('cp', ['-a', first, second]);
  await writeFile(join(second, 'data', 'standby.signal'), '');

  const primary = await startEmbeddedPostgres({
    dir: first,
    ...tuning,
    settings: [...tuning.settings, 'synchronous_standby_names=*'],
    logFile: join(dir, 'first.log'),
  });
  const standby = await startEmbeddedPostgres({
    dir: second,
    ...tuning,
    settings: [...tuning.settings, `primary_conninfo=${conninfoOf(primary.url)}`],
    logFile: join(dir, 'second.log'),
  });
  let frozen: number[] = [];
  return {
    primary,
    standby,
    promote: async () => {
      await writeFile(join(second, 'data', 'promote'), '');
      process.kill(standby.pid(), 'SIGUSR1');
    },
    freezePrimary: () => {
      frozen = [primary.pid(), ...childrenOf(primary.pid())];
      for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    },
    kill: async () => {
      // Processes that stay frozen would hold the primary's data for ever.
      const ended = Promise.all([primary.kill(), standby.kill()]);
      for (const pid of frozen) process.kill(pid, 'SIGCONT');
      await ended;
    },
  };
}

function conninfoOf(url: string): string {
  const { hostname, port, username, password } = new URL(url);
  return `host=${hostname} port=${port} user=${username} password=${password}`;
}

function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(' ').filter(Boolean).map(Number);
}
