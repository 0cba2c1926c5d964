import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The workspace's top folder. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export type Outcome = { ok: boolean; output: string; seconds: number };

/**
 * Runs one of the workspace's tools (biome, tsc) to its end.
 * @returns whether it succeeded, and its output
 */
export async function runTool(name: string, args: string[], cwd = root): Promise<Outcome> {
  const started = Date.now();
  const child = spawn(join(root, 'node_modules/.bin', name), args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { ok: code === 0, output: (stdout + stderr).trim(), seconds: (Date.now() - started) / 1000 };
}
