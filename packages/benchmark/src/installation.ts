import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BenchError } from './options.ts';

/** The workspace's top folder. */
export const root = join(import.meta.dirname, '../../..');

/** The other sides: a separate workspace, so that the product does not depend on them. */
export const sidesFolder = join(root, 'packages/benchmark/sides');

const pnpm = 'pnpm@12.21.0';

/** Builds the service, and installs and builds the other sides if that is missing. */
export async function prepare(build: boolean, say: (line: string) => void): Promise<void> {
  const stamp = join(sidesFolder, 'node_modules/.installed');
  const hash = createHash('sha256');
  for (const file of ['package.json', 'pnpm-lock.yaml']) hash.update(readFileSync(join(sidesFolder, file)));
  const wanted = hash.digest('hex');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    say('installing the sides');
    const install = ['--yes', pnpm, 'install', '--frozen-lockfile', '--config.minimum-release-age=0'];
    await run('npx', install, sidesFolder);
    writeFileSync(stamp, wanted);
  }
  say('building the sides');
  await run(join(sidesFolder, 'node_modules/.bin/tsc'), ['-p', sidesFolder], sidesFolder);
  if (!build) return;
  say('building the service');
  await run('npm', ['run', '--silent', 'build'], root);
}

async function run(program: string, args: string[], cwd: string): Promise<void> {
  const env = { ...process.env, CI: 'true' };
  await promisify(execFile)(program, args, { cwd, env, maxBuffer: 2 ** 26 }).catch(({ stdout, stderr }) => {
    throw new BenchError(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  });
}
