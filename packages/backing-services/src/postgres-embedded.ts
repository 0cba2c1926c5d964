import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type OwnServer, reasonOf } from './backing-server.ts';
import { postgresAccount } from './postgres-account.ts';
import { foldersOf, postgresBinaries } from './postgres-binaries.ts';
import { initialisePostgres } from './postgres-initialise.ts';
import { startRestartable } from './restartable-server.ts';
import { type ServerCommand, type ServerProcess, startServerProcess } from './server-process.ts';

/** `durable` survives a power cut; `fast` gives that up, for data that lives as long as a test run. */
export type Tuning = 'durable' | 'fast';

export type PostgresOptions = {
  /** Folder of its own: the data, the password. Made when missing. */
  dir: string;
  tuning: Tuning;
  logFile?: string;
  /** Hears of an end that nobody asked for, as `SIGKILL: <log line>`. */
  onExit?: (reason: string) => void;
};

/** What makes PostgreSQL quick where its data need not outlive the machine's next crash. */
export const fastSettings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=300',
];

/**
 * Starts PostgreSQL on a free port of 127.0.0.1, on the data in `options.dir`, with an empty database
 * `payments` the first time. Fails with a BackingServiceError.
 */
export async function startEmbeddedPostgres(options: PostgresOptions): Promise<OwnServer> {
  const binaries = await postgresBinaries();
  await mkdir(options.dir, { recursive: true });
  const data = join(options.dir, 'data');
  const account = postgresAccount(data, foldersOf(binaries));
  if (!existsSync(data)) await initialisePostgres(options.dir, binaries, account);
  const password = readFileSync(join(options.dir, 'password'), 'utf8').trim();
  return startRestartable({
    commandOn: (port) => ({
      name: 'PostgreSQL',
      program: binaries.postgres,
      args: ['-D', data, ...settings(port, options.tuning).flatMap((setting) => ['-c', setting])],
      orphanSignal: 'SIGINT',
      ready: /database system is ready to accept connections/,
      failure: /FATAL|PANIC/,
      env: { ...process.env, LC_ALL: 'C' },
      cwd: '/',
      logFile: options.logFile,
      ...account,
    }),
    urlOn: (port) => `postgres://postgres:${password}@127.0.0.1:${port}/payments`,
    stopSignal: 'SIGINT',
    portTaken: /could not create any TCP/,
    onExit: options.onExit,
    launch: launchWhenDataIsFree,
  });
}

function settings(port: number, tuning: Tuning): string[] {
  const local = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'lc_messages=C'];
  return tuning === 'fast' ? [...local, ...fastSettings] : local;
}

/** After a kill, PostgreSQL's children take a moment to notice; until then the data is in use. */
async function launchWhenDataIsFree(command: ServerCommand): Promise<ServerProcess> {
  for (const deadline = Date.now() + 10_000; ; await delay(100)) {
    try {
      return await startServerProcess(command);
    } catch (error) {
      const inUse = /pre-existing shared memory|lock file "postmaster.pid" already exists/.test(
        reasonOf(error),
      );
      if (!inUse || Date.now() > deadline) throw error;
    }
  }
}
