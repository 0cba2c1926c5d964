import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** The workspace's top folder. */
export const root = join(import.meta.dirname, '../../..');

/** A container engine's command. */
export type Engine = {
  name: string;
  /**
   * @returns the command's output
   * @throws an error with its last lines if it fails
   */
  run(...args: string[]): Promise<string>;
};

/** @returns `CONTAINER_ENGINE`, else the first of these engines that responds; undefined without one */
export function findEngine(names = ['docker', 'podman']): Engine | undefined {
  const asked = process.env.CONTAINER_ENGINE;
  const name = (asked ? [asked] : names).find((candidate) => spawnSync(candidate, ['info']).status === 0);
  return name === undefined ? undefined : { name, run: (...args) => run(name, args) };
}

async function run(name: string, args: string[]): Promise<string> {
  const child = spawn(name, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (code === 0) return stdout.trim();
  const lastWords = (stderr + stdout).trim().split('\n').slice(-15).join('\n');
  throw new Error(`${name} ${args.slice(0, 2).join(' ')} failed:\n${lastWords}`);
}

export const targets = ['api', 'dispatcher', 'simulator'] as const;
export type Target = (typeof targets)[number];

/** @returns the name of an image that was built here, which the development overlay uses */
export const imageOf = (target: Target) => `payments-${target}:development`;

/**
 * Builds every image from a clean checkout of the last commit.
 * @param options further options of the engine, such as `--network host`
 */
export async function buildImages(engine: Engine, options: string[]): Promise<void> {
  const checkout = mkdtempSync(join(tmpdir(), 'payments-images-'));
  try {
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, checkout]);
    for (const target of targets) {
      const since = performance.now();
      const file = ['-f', join(checkout, 'deploy/Dockerfile'), '--target', target];
      await engine.run('build', ...options, ...file, '-t', imageOf(target), checkout);
      console.log(`built ${imageOf(target)} in ${((performance.now() - since) / 1_000).toFixed(0)} s`);
    }
  } finally {
    rmSync(checkout, { recursive: true });
  }
}
