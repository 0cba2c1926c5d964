import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '../repository.ts';
import { BenchError } from './arguments.ts';

const folder = join(root, 'scripts/bench');
const pnpm = 'pnpm@12.21.0';

/** Builds the service, and installs and builds what it is measured against where that has not been done. */
export async function prepare(build: boolean, say: (line: string) => void): Promise<void> {
  await installSides(say);
  await step(
    'building the sides',
    () => run(join(folder, 'node_modules/.bin/tsc'), ['-p', folder], folder),
    say,
  );
  if (build) await step('building the service', () => run('npm', ['run', '--silent', 'build'], root), say);
}

async function installSides(say: (line: string) => void): Promise<void> {
  const stamp = join(folder, 'node_modules/.installed');
  const hash = createHash('sha256');
  for (const file of ['package.json', 'pnpm-lock.yaml']) hash.update(readFileSync(join(folder, file)));
  const wanted = hash.digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  const args = ['--yes', pnpm, 'install', '--frozen-lockfile', '--config.minimum-release-age=0'];
  await step('installing the sides', () => run('npx', args, folder), say);
  writeFileSync(stamp, wanted);
}

type Outcome = { ok: boolean; output: string };

async function step(what: string, work: () => Promise<Outcome>, say: (line: string) => void) {
  say(what);
  const { ok, output } = await work();
  if (!ok) throw new BenchError(`${what} failed:\n${output}`);
}

async function run(program: string, args: string[], cwd: string): Promise<Outcome> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, CI: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { ok: code === 0, output: stdout + stderr };
}
