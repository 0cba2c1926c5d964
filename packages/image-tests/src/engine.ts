import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

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
