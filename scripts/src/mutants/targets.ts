import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../repository.ts';

/** What `npm run mutants` changes in a package, and the tests that should notice. Paths begin at the package's folder. */
export type Target = {
  /** The package's folder. */
  folder: string;
  sources: string[];
  /** Quick tests, the fastest first: the first that notices a change ends its run. */
  tests: string[];
  needsPostgres: boolean;
};

/** @returns a folder's files by a pattern, in order of their names */
function files(folder: string, pattern: string): string[] {
  return globSync(pattern, { cwd: join(root, folder) }).sort();
}

/**
 * Webhooks' pure functions. The rest sends, looks up names and reads responses: its tests wait for the network, which
 * multiplied by each change is hours.
 */
const pureOfWebhooks = [
  'addresses',
  'endpoint-health',
  'remembered',
  'retry',
  'retry-after',
  'signature',
  'webhook-url',
];

export const targets: Target[] = [
  {
    folder: 'packages/domain',
    sources: files('packages/domain', 'src/**/*.ts'),
    tests: files('packages/domain', 'test/**/*.test.ts'),
    needsPostgres: false,
  },
  {
    folder: 'packages/webhooks',
    sources: pureOfWebhooks.map((name) => `src/${name}.ts`),
    tests: pureOfWebhooks.map((name) => `test/${name}.test.ts`),
    needsPostgres: false,
  },
];

/**
 * @param paths packages' folders, or sources in them; none are all
 * @throws an error for a path whose changes no tests are named for
 */
export function chosen(paths: string[]): Target[] {
  if (paths.length === 0) return targets;
  return paths.map((path) => {
    const place = relative(root, join(root, path));
    const target = targets.find(({ folder }) => place === folder || place.startsWith(`${folder}/`));
    const sources = target?.sources.filter((source) => `${target.folder}/${source}`.startsWith(place));
    if (!target || !sources?.length) throw new Error(`nothing is changed at ${path}`);
    return { ...target, sources };
  });
}
