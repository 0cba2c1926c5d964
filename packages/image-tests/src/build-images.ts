import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from './engine.ts';
import { root } from './workspace.ts';

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
