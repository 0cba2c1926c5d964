import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './repository.ts';

/** The programs that start a service. Their names and paths stay the same. */
const programs: Record<string, string[]> = {
  '@payments/api': ['main.js', 'migrate.js', 'bank-check.js', 'lost-events.js', 'record-check.js'],
  '@payments/dispatcher': ['main.js'],
  '@payments/pix-simulator': ['main.js'],
};

// CommonJS libraries load Node's modules by `require`, which ES modules lack.
const requireOfNode =
  "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";

/**
 * Replaces a built package's programs and their imports by a few files: finding and linking each module takes most of a
 * start. Modules that are imported on demand, such as tracing, keep their own files.
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
  // The migration reads its statements from beside dist/, as it does in the package of the database.
  if (programs[name]?.includes('migrate.js'))
    await cp(join(root, 'packages/database/migrations'), join(folder, 'migrations'), { recursive: true });
}
