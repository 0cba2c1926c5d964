import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { OwnServer } from './backing-server.ts';
import { postgresAccount } from './postgres-account.ts';
import { copyPostgres, foldersOf, postgresBinaries } from './postgres-copy.ts';
import { startEmbeddedPostgres } from './postgres-embedded.ts';
import { initialisePostgres } from './postgres-initialise.ts';

const run = promisify(execFile);
// A killed process loses nothing that it wrote, so the pair needs no disk to sync. A standby that lost its primary may
// sleep through the order to take over, for five seconds by default.
const settings = ['synchronous_commit=on', 'wal_keep_size=256MB', 'wal_retrieve_retry_interval=500ms'];
const tuning = { tuning: 'fast', settings } as const;

/** A primary and its synchronous standby. */
export type PostgresPair = {
  readonly primary: OwnServer;
  readonly standby: OwnServer;
  /** Tells the standby to become the primary. It takes writes a moment later. */
  promote(): Promise<void>;
  /** Stops every process of the primary by SIGSTOP, as a host does that hangs. Linux only. */
  freezePrimary(): void;
  /**
   * Ends the former primary and starts it as the synchronous standby of the promoted server: the two change places.
   * @param backUp copies the promoted server's data by `copy` and returns the label of the backup. Without it, the
   * former primary goes on from its own data: it must have been stopped in order before the promotion.
   */
  follow(backUp?: (copy: () => Promise<void>) => Promise<string>): Promise<void>;
  /** Kills both, also a frozen one. */
  kill(): Promise<void>;
};

type Member = { dir: string; server: OwnServer };

/**
 * Starts both on free ports of 127.0.0.1. A commit is answered once the standby has it on disk.
 * @param dir created if missing
 */
export async function startPostgresPair(dir: string): Promise<PostgresPair> {
  let [primary, standby] = await startBoth(dir);
  let frozen: number[] = [];
  const thaw = () => {
    for (const pid of frozen.splice(0)) process.kill(pid, 'SIGCONT');
  };
  return {
    get primary() {
      return primary.server;
    },
    get standby() {
      return standby.server;
    },
    promote: async () => {
      await writeFile(join(standby.dir, 'data', 'promote'), '');
      process.kill(standby.server.pid(), 'SIGUSR1');
    },
    freezePrimary: () => {
      const pid = primary.server.pid();
      frozen = [pid, ...childrenOf(pid)];
      for (const one of frozen) process.kill(one, 'SIGSTOP');
    },
    follow: async (backUp) => {
      [primary, standby] = [standby, primary];
      const ended = standby.server.kill();
      thaw();
      await ended;
      if (backUp) await replaceData(primary.dir, standby.dir, backUp);
      await followPrimary(standby.dir, primary.server.url);
      await standby.server.start();
      await configure(primary.dir, waitForStandby);
      process.kill(primary.server.pid(), 'SIGHUP');
    },
    kill: async () => {
      // Processes that stay frozen would hold the primary's data for ever.
      const ended = Promise.all([primary.server.kill(), standby.server.kill()]);
      thaw();
      await ended;
    },
  };
}

const waitForStandby = "synchronous_standby_names = '*'";

async function startBoth(dir: string): Promise<[Member, Member]> {
  const [first, second] = [join(dir, 'first'), join(dir, 'second')];
  const binaries = await postgresBinaries();
  await mkdir(first, { recursive: true });
  const account = postgresAccount(join(first, 'data'), foldersOf(binaries));
  await initialisePostgres(first, binaries, account, tuning.tuning);
  // A copy of a server that never ran is the simplest base backup.
  await run('cp', ['-a', first, second]);
  await configure(first, waitForStandby);
  const primary = await startEmbeddedPostgres({ dir: first, ...tuning, logFile: join(dir, 'first.log') });
  await followPrimary(second, primary.url);
  const standby = await startEmbeddedPostgres({ dir: second, ...tuning, logFile: join(dir, 'second.log') });
  return [
    { dir: first, server: primary },
    { dir: second, server: standby },
  ];
}

/** Writes what `alter system` would write. */
const configure = (dir: string, setting: string) =>
  writeFile(join(dir, 'data', 'postgresql.auto.conf'), `${setting}\n`);

async function followPrimary(dir: string, url: string): Promise<void> {
  await writeFile(join(dir, 'data', 'standby.signal'), '');
  await configure(dir, `primary_conninfo = '${conninfoOf(url)}'`);
}

async function replaceData(from: string, to: string, backUp: (copy: () => Promise<void>) => Promise<string>) {
  await rm(to, { recursive: true });
  const label = await backUp(() => copyPostgres(from, to));
  await writeFile(join(to, 'data', 'backup_label'), label);
}

function conninfoOf(url: string): string {
  const { hostname, port, username, password } = new URL(url);
  return `host=${hostname} port=${port} user=${username} password=${password}`;
}

function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(' ').filter(Boolean).map(Number);
}
