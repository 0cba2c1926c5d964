import { cpSync, existsSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { alone } from './lock.mjs';
import { SetupError, step } from './progress.mjs';

/**
 * Builds tap with the plugins of .taprc, once per installation: as published it compiles TypeScript with a plugin
 * that is of no use here, and that breaks beside our compiler.
 * @param {string} root the workspace
 * @param {string} node path of Node 24
 * @param {NodeJS.ProcessEnv} env
 */
export async function buildTap(root, node, env) {
  const tap = realpathSync(join(root, 'node_modules', 'tap'));
  const library = realpathSync(join(dirname(tap), '@tapjs', 'test'));
  const built = join(library, 'test-built');
  if (isBuilt(built)) return;
  await alone(root, async () => {
    if (isBuilt(built)) return;
    startFromPublished(built);
    const bin = join(tap, 'dist', 'esm', 'run.mjs');
    await step("tap is not built with this project's plugins yet: tap build", node, [bin, 'build'], {
      cwd: root,
      env,
    });
    if (!isBuilt(built))
      throw new SetupError('tap build left no working tap: remove node_modules, then start again');
  });
}

function isBuilt(built) {
  const main = join(built, 'dist', 'esm', 'index.js');
  return existsSync(main) && !readFileSync(main, 'utf8').includes('@tapjs/typescript');
}

/**
 * The build writes into its own package, whose files pnpm shares with every other checkout, and it needs a working
 * tap to start with, which an interrupted build does not leave. So it works on a copy, and the original is kept.
 */
function startFromPublished(built) {
  const [published, copy] = [`${built}.published`, `${built}.copy`];
  rmSync(copy, { recursive: true, force: true });
  if (!existsSync(published)) {
    cpSync(built, copy, { recursive: true });
    renameSync(copy, published);
  }
  cpSync(published, copy, { recursive: true });
  rmSync(built, { recursive: true, force: true });
  renameSync(copy, built);
}
