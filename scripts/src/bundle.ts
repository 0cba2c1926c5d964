import { join } from 'node:path';
import { build } from 'esbuild';

/** What a service is started by. Their names, and where they lie, stay what they are. */
const programs: Record<string, string[]> = {
  '@payments/api': ['main.js', 'migrate.js', 'bank-check.js'],
  '@payments/dispatcher': ['main.js'],
  '@payments/pix-simulator': ['main.js'],
};

// Libraries in the old module format ask for Node's own modules by `require`, which ES modules lack.
const requireOfNode =
  "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";

/**
 * Puts the programs of a built package, where it has any, and all that they import into a few files, in place of their own: finding and
 * linking every module by itself is most of a start. What is loaded late, as traces are, stays in files of its own.
 */
export async function bundle(name: string, folder: string): Promise<void> {
  const dist = join(folder, 'dist');
  const entryPoints = programs[name]?.map((program) => join(dist, program));
  if (!entryPoints) return;
  await build({
    entryPoints,
    outdir: dist,
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    sourcemap: true,
    banner: { js: requireOfNode },
    logLevel: 'warning',
  });
}
