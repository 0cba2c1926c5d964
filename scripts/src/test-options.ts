import { globSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './repository.ts';

export type TestOptions = {
  /** Lint and types, too. */
  checks: boolean;
  quick: string[];
  slow: string[];
  pgbouncer: boolean;
  /** Only the tests of this name, or whose name contains it. */
  grep: string | undefined;
};

const options = {
  all: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  slow: { type: 'boolean', default: false },
  pgbouncer: { type: 'boolean', default: false },
  grep: { type: 'string', short: 't' },
} as const;

/**
 * Reads the arguments of `npm test`.
 * @param args files and folders, from the folder where npm was called, and options
 * @throws an error for an unknown option, or a path without tests
 */
export function readTestOptions(args: string[]): TestOptions {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const { all, slow, pgbouncer, grep } = values;
  const isWhole = positionals.length === 0;
  const named = positionals.flatMap(testsAt);
  const places = isWhole ? folders(pgbouncer) : [];
  return {
    checks: isWhole && (all || !(slow || pgbouncer || values.quick)),
    quick: isWhole ? found(places, 'test.ts', all || !slow) : named.filter((file) => !isSlow(file)),
    slow: isWhole ? found(places, 'slow.ts', all || slow) : named.filter(isSlow),
    pgbouncer,
    grep,
  };
}

const isSlow = (file: string) => file.endsWith('.slow.ts');

/** The services come first, since their tests take longest. */
const folders = (pgbouncer: boolean) => [
  'services/dispatcher',
  'services/api',
  ...(pgbouncer ? [] : ['packages/*', 'scripts']),
];

function found(places: string[], ending: string, isWanted: boolean): string[] {
  return isWanted
    ? places.flatMap((folder) => globSync(`${folder}/test/**/*.${ending}`, { cwd: root }).sort())
    : [];
}

/** @returns the file; of a folder its quick tests */
function testsAt(path: string): string[] {
  const file = relative(root, join(root, path));
  const state = statSync(join(root, file), { throwIfNoEntry: false });
  if (state?.isFile()) return [file];
  const files = globSync(`${file || '.'}/**/*.test.ts`, {
    cwd: root,
    exclude: ['**/node_modules/**', '**/dist/**'],
  });
  if (files.length === 0) throw new Error(`no tests at ${path}`);
  return files.sort();
}
