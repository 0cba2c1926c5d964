import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { BackingServiceError } from './backing-server.ts';
import type { PostgresAccount } from './postgres-account.ts';
import type { PostgresBinaries } from './postgres-copy.ts';
import type { Tuning } from './postgres-embedded.ts';

/**
 * Creates `dir/data` (a cluster with the database `payments`) and `dir/password` (of the user `postgres`). The data
 * gets its name last, so an interrupted start leaves no incomplete data.
 */
export async function initialisePostgres(
  dir: string,
  binaries: PostgresBinaries,
  account: PostgresAccount,
  tuning: Tuning,
) {
  const [password, unfinished] = [join(dir, 'password'), join(dir, 'data.unfinished')];
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(password, `${randomBytes(18).toString('base64url')}\n`, { mode: 0o600 });
  if (account.uid !== undefined) {
    for (const path of [password, unfinished]) await chown(path, account.uid, account.gid!);
  }
  const method = ['--username=postgres', `--pwfile=${password}`, '--auth=scram-sha-256'];
  // A client hashes its password so often at each of the thousands of connections of a test run.
  const hashing = tuning === 'fast' ? ['--set=scram_iterations=1'] : [];
  const format = ['--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions'];
  await run(binaries.initdb, ['-D', unfinished, ...method, ...hashing, ...format], account);
  await run(
    binaries.postgres,
    ['--single', '-D', unfinished, 'postgres'],
    account,
    'CREATE DATABASE payments\n',
  );
  await rename(unfinished, join(dir, 'data'));
}

async function run(program: string, args: string[], account: PostgresAccount, input = '') {
  const { uid, gid, privileges } = account;
  const [file, rest] = privileges ? ['setpriv', [...privileges, program, ...args]] : [program, args];
  const child = spawn(file, rest, {
    env: { ...process.env, LC_ALL: 'C' },
    cwd: '/',
    ...(uid !== undefined && !privileges && { uid, gid }),
  });
  child.stdin.end(input);
  child.stdout.resume();
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (code !== 0) {
    throw new BackingServiceError(`PostgreSQL's data could not be made: ${errors.trim().split('\n').at(-1)}`);
  }
}
