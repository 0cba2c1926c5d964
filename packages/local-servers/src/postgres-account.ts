import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { BackingServiceError } from './backing-server.ts';
import { findExecutable } from './executable.ts';

/** How to spawn PostgreSQL's programs. Empty: as the current user. */
export type PostgresAccount = { uid?: number; gid?: number; privileges?: string[] };

/**
 * PostgreSQL refuses to run as root. It then runs as the user `postgres`, created if missing, or as the owner of
 * existing data.
 * @param data the data directory, or its future path
 * @param folders other folders that the account must be able to enter
 */
export function postgresAccount(data: string, folders: string[]): PostgresAccount {
  if (process.getuid?.() !== 0) return {};
  const { uid, gid } = ownerOf(data) ?? lookUp('postgres') ?? createUser('postgres');
  const closed = [dirname(data), ...folders].some((folder) => !canEnter(resolve(folder), uid, gid));
  return closed ? { uid, gid, privileges: enterAnything(uid, gid) } : { uid, gid };
}

type Ids = { uid: number; gid: number };

function ownerOf(data: string): Ids | undefined {
  const stat = statSync(data, { throwIfNoEntry: false });
  return stat && stat.uid !== 0 ? { uid: stat.uid, gid: stat.gid } : undefined;
}

function lookUp(name: string): Ids | undefined {
  const [uid, gid] = ['-u', '-g'].map((option) => spawnSync('id', [option, name], { encoding: 'utf8' }));
  if (uid?.status !== 0 || gid?.status !== 0) return undefined;
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

function createUser(name: string): Ids {
  const made = spawnSync('useradd', ['--system', '--user-group', '--no-create-home', name], {
    encoding: 'utf8',
  });
  const ids = lookUp(name);
  if (ids) return ids;
  throw new BackingServiceError(
    `PostgreSQL does not run as root, and the user ${name} could not be made (${made.stderr?.trim() || 'no useradd'}): ` +
      'make it, start as another user, or set DATABASE_URL',
  );
}

function canEnter(folder: string, uid: number, gid: number): boolean {
  const stat = statSync(folder, { throwIfNoEntry: false });
  const enter = !stat || (stat.mode & (stat.uid === uid ? 0o100 : stat.gid === gid ? 0o010 : 0o001)) !== 0;
  return enter && (folder === dirname(folder) || canEnter(dirname(folder), uid, gid));
}

/**
 * A checkout under /root is closed to other users, so the account keeps the one privilege that opens it. PostgreSQL
 * finds its own programs by access(2), which honours that privilege only with no_setuid_fixup.
 */
function enterAnything(uid: number, gid: number): string[] {
  if (findExecutable('setpriv') === undefined) {
    throw new BackingServiceError(
      'PostgreSQL does not run as root, and another user cannot enter this folder: move the checkout, or set DATABASE_URL',
    );
  }
  return [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    '--securebits=+no_setuid_fixup',
  ];
}
