import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnServer } from './backing-server.ts';
import { findExecutable } from './executable.ts';
import { postgresAccount } from './postgres-account.ts';
import { startRestartable } from './restartable-server.ts';

export type PgBouncerOptions = {
  program: string;
  /** The folder of the configuration, created if missing. */
  dir: string;
  /** The PostgreSQL behind it, and the database of PgBouncer's own URL. */
  url: string;
  /** More of pgbouncer.ini, as `name=value`. */
  settings?: readonly string[];
};

/** @returns the path of pgbouncer, if this machine has it */
export function pgBouncerProgram(): string | undefined {
  return findExecutable('pgbouncer', ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin']);
}

/** Starts PgBouncer in transaction mode on a free port of 127.0.0.1, for every database of a server. */
export async function startPgBouncer(options: PgBouncerOptions): Promise<OwnServer> {
  const { hostname, port, username, password, pathname } = new URL(options.url);
  const database = pathname.slice(1);
  const file = join(options.dir, 'pgbouncer.ini');
  await mkdir(options.dir, { recursive: true });
  const iniOn = (own: number) =>
    [
      '[databases]',
      `* = host=${hostname} port=${port} user=${username} password=${password}`,
      '[pgbouncer]',
      'listen_addr=127.0.0.1',
      `listen_port=${own}`,
      'unix_socket_dir=',
      'auth_type=any',
      'pool_mode=transaction',
      ...(options.settings ?? []),
      '',
    ].join('\n');
  return startRestartable({
    commandOn: (own) => {
      writeFileSync(file, iniOn(own));
      return {
        name: 'PgBouncer',
        program: options.program,
        args: [file],
        orphanSignal: 'SIGTERM',
        ready: /process up/,
        failure: /FATAL|ERROR/,
        ...postgresAccount(file, []),
      };
    },
    urlOn: (own) => `postgres://${username}:x@127.0.0.1:${own}/${database}`,
    stopSignal: 'SIGINT',
    portTaken: /Address already in use|cannot listen/i,
  });
}
