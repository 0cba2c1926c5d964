import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../../..');
export const client = join(import.meta.dirname, '..');
export const tsc = join(root, 'node_modules/.bin/tsc');

/**
 * Builds and packs the client as it is published.
 * @param folder a separate one, since other tests may build the workspace at the same time
 */
export function packClient(folder: string): { tarball: string; files: { path: string }[] } {
  for (const name of ['package.json', 'README.md', 'LICENSE', 'src'])
    cpSync(join(client, name), join(folder, name), { recursive: true });
  run(tsc, ['-p', join(client, 'tsconfig.json'), '--outDir', join(folder, 'dist')], root);
  const [{ filename, files }] = JSON.parse(run('npm', ['pack', '--json'], folder));
  return { tarball: join(folder, filename), files };
}

/** @returns what a program printed */
export function run(program: string, args: string[], cwd: string, env: Record<string, string> = {}): string {
  const { PATH = '', HOME = '' } = process.env;
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { PATH, HOME, ...env },
  });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}
