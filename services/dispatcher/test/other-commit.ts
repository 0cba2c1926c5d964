import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/**
 * @returns the release before this commit: its tag, or else the commit that last changed the schema, which an unreleased
 * migration may do in place. Undefined without a history
 */
export function commitBefore(): string | undefined {
  try {
    const tags = git('tag', '--list', 'v*', '--no-contains', 'HEAD', '--merged', 'HEAD', '--sort=-v:refname');
    const [tag] = tags.split('\n');
    return tag || git('log', '-1', '--format=%H', '--', 'packages/database/migrations') || undefined;
  } catch {
    return undefined;
  }
}

/** @returns a folder with a commit's files. Its own commands install its packages */
export async function checkOut(t: { teardown(end: () => void): void }, commit: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'payments-commit-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const archive = `git -C "$1" archive "$2" | tar -x -C "$3"`;
  await promisify(execFile)('sh', ['-c', archive, 'sh', root, commit, folder]);
  return folder;
}
