import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Base, Test, TestBase } from 'tap';
import { root } from './repository.ts';

/**
 * Loads test files that share a process: what they test is loaded once. A test file and the modules of its `test`
 * folder are loaded anew for each file, and the `tap` that they import is that file's own test.
 */
let files = 0;
const base = pathToFileURL(root).href;

/** The test to which `current-test.ts` refers while a file is loaded. */
export let currentTest: Test;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'async-hook-domain') return next(import.meta.resolve('./no-domain.ts'), context);
    const [, file] = /\?file=(\d+)$/.exec(context.parentURL ?? '') ?? [];
    if (file === undefined) return next(specifier, context);
    const found = next(specifier === 'tap' ? import.meta.resolve('./current-test.ts') : specifier, context);
    return specifier === 'tap' || isOfTest(found.url)
      ? { ...found, url: `${found.url}?file=${file}` }
      : found;
  },
});

/** @returns true for a module in a `test` folder of the repository */
function isOfTest(url: string): boolean {
  return url.startsWith(base) && /^(?!.*\/node_modules\/).*\/test\//.test(url.slice(base.length));
}

/** An error that nobody catches, such as a timer's, fails the innermost test that runs. */
process.on('uncaughtException', (error, tapCaught) => {
  if (!currentTest) throw error;
  let running: Base = currentTest;
  for (let inner: Base | undefined = running; inner; [inner] = (inner as TestBase).activeSubtests ?? [])
    running = inner;
  running.threw(Object.assign(error instanceof Object ? error : { error }, { tapCaught }));
});

/** Imports a test file, whose tests become those of `test`. */
export async function importTests(path: string, test: Test): Promise<void> {
  currentTest = test;
  files += 1;
  await import(`${pathToFileURL(path)}?file=${files}`);
}
