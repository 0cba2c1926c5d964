import { cp, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** A mistake in a source file. `find` occurs exactly once. */
export type Edit = { file: string; find: string; replace: string };

const left = ['dist', '.tap'];

/**
 * Copies the sources into a new folder, and makes mistakes there.
 * @param options.tests whether the tests come along
 * @returns that folder
 */
export async function breakSources(
  root: string,
  edits: readonly Edit[],
  { tests = false } = {},
): Promise<string> {
  const without = new Set(tests ? left : [...left, 'test']);
  const copy = await mkdtemp(join(tmpdir(), 'payments-broken-'));
  for (const folder of ['packages', 'services']) {
    await mkdir(join(copy, folder));
    // Their node_modules are links to each other and to the one at the top.
    const filter = (path: string) => !without.has(relative(root, path).split('/').at(-1) ?? '');
    await cp(join(root, folder), join(copy, folder), { recursive: true, verbatimSymlinks: true, filter });
  }
  await cp(join(root, 'package.json'), join(copy, 'package.json'));
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const edit of edits) await apply(copy, edit);
  return copy;
}

async function apply(root: string, edit: Edit): Promise<void> {
  const path = join(root, edit.file);
  await writeFile(path, edited(await readFile(path, 'utf8'), edit));
}

/** @throws an error if the place is not there exactly once: the sources have changed, and the defect must follow */
export function edited(source: string, { file, find, replace }: Edit): string {
  const parts = source.split(find);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${find}`);
  return parts.join(replace);
}
