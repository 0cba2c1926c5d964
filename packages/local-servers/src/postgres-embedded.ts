import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type OwnServer, reasonOf } from './backing-server.ts';
import { postgresAccount } from './postgres-account.ts';
import { foldersOf, postgresBinaries } from './postgres-copy.ts';
import { initialisePostgres } from './postgres-initialise.ts';
import { startRestartable } from './restartable-server.ts';
import { type ServerCommand, type ServerProcess, startServerProcess } from './server-process.ts';

/** `durable` survives a power cut; `fast` does not, for the data of a test run. */
export type Tuning = 'durable' | 'fast';

export type PostgresOptions = {
  /** The folder of the data and the password, created if missing. */
  dir: string;
  tuning: Tuning;
  /** More of postgresql.conf, as `name=value`. */
  settings?: readonly string[];
  logFile?: string;
  /** Called when it ends by itself, with `SIGKILL: <log line>`. */
  onExit?: (reason: string) => void;
};

/** Settings that make PostgreSQL fast, for data that may be lost in a crash. */
export const fastSettings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=300',
];

/**
 * Starts PostgreSQL on a free port of 127.0.0.1, with the data in `options.dir`. The first start creates an empty
 * database `payments`.
 * @throws BackingServiceError
 */
export async function startEmbeddedPostgres(options: PostgresOptions): Promise<OwnServer> {
  const binaries = await postgresBinaries();
  await mkdir(options.dir, { recursive: true });
  const data = join(options.dir, 'data');
  const account = postgresAccount(data, foldersOf(binaries));
  if (!existsSync(data)) await initialisePostgres(options.dir, binaries, account, options.tuning);
  const password = readFileSync(join(options.dir, 'password'), 'utf8').trim();
  return startRestartable({
    commandOn: (port) => ({
      name: 'PostgreSQL',
      program: binaries.postgres,
      args: [
        '-D',
        data,
        ...[...settings(port, options.tuning), ...(options.settings ?? [])].flatMap((setting) => [
          '-c',
          setting,
        ]),
      ],
      orphanSignal: 'SIGINT',
      ready: /database system is ready to accept (read-only )?connections/,
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

/** A killed PostgreSQL's children take a moment to end; until then the data is in use. */
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
