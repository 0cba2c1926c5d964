import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** A container engine's command, and what it is asked. */
export type Engine = {
  name: string;
  /** @returns what it printed @throws with its last words when it fails */
  run(...args: string[]): Promise<string>;
};

/**
 * The engine of this machine: `CONTAINER_ENGINE`, else the first of these that answers.
 * @returns nothing where there is none
 */
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
