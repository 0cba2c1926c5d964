import { globSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../repository.ts';

/**
 * Loads a package's sources as Stryker changed them. Stryker writes them to a folder of its own, where no package would
 * be found; so the modules keep their places, and only their text comes from there. The tests are untouched.
 * @param folder the package's
 * @param changed the folder in which Stryker wrote the changed sources
 * @returns a function after which all sources are loaded anew
 */
export function loadChanged(folder: string, changed: string): () => void {
  const sources = `${pathToFileURL(join(root, folder)).href}/src/`;
  let generation = 0;
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      return isSource(found.url) ? { ...found, url: `${found.url}?generation=${generation}` } : found;
    },
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.startsWith(sources)) return loaded;
      const [path = ''] = url.slice(sources.length).split('?');
      return { ...loaded, source: readFileSync(join(changed, 'src', path), 'utf8') };
    },
  });
  return () => {
    generation += 1;
  };
}

/** @returns true for a module of a package or service */
function isSource(url: string): boolean {
  const path = url.startsWith(base) ? url.slice(base.length) : '';
  return /^\/(packages|services)\/[^/]+\/src\/[^?]*$/.test(path);
}

const base = pathToFileURL(root).href;

/** The functions that `npm run mutants` changes in a package, and the tests that should notice. Paths begin at the package's folder. */
export type Target = {
  /** The package's folder. */
  folder: string;
  /** Whole files, or parts of them as Stryker names them: `src/answers.ts:12-14`. */
  sources: string[];
  tests: string[];
  needsPostgres: boolean;
};

/** Functions by their files, without the ending. */
type Functions = Record<string, string[]>;

/**
 * Webhooks' pure functions. The rest sends, looks up names and reads responses: its tests wait for the network, which
 * multiplied by each change is hours.
 */
const pureOfWebhooks = ['addresses', 'endpoint-health', 'remembered', 'retry', 'signature', 'webhook-url'];

/** Settlement's pure functions, and the tests of them that need no database. */
const pureOfSettlement: Functions = {
  answers: ['isVerdict', 'isNotAsked', 'tryAgainAt', 'isBelieved'],
  balance: ['moneyOf', 'asApproved'],
  'charges/expire': ['closingTime'],
  'charges/remove-unheard': ['whoseIs'],
  context: ['atBankOf'],
  'days/check-day': ['firstDayToCheck', 'isFinal', 'daysToCheck'],
  'days/reconcile': ['slicesOf'],
  'pix/on-record': ['toldOf', 'toldOfPix'],
  'refunds/refused-refund': ['isOfPerson', 'refusalToRetry'],
  'refunds/sync-refunds': ['refundStateOf', 'askAgainAt', 'notMade'],
  settings: ['settlementRules'],
};

const testsOfPure = [
  'answers',
  'balance',
  'charges/closing-time',
  'charges/whose-charge',
  'context',
  'days/days-to-check',
  'days/slices',
  'pix/told-of-lists',
  'refunds/bank-states',
  'refunds/refusal-to-retry',
  'settings',
];

const settlement = 'packages/settlement';

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
    tests: [...pureOfWebhooks, 'retry-after'].map((name) => `test/${name}.test.ts`),
    needsPostgres: false,
  },
  {
    folder: settlement,
    sources: Object.entries(pureOfSettlement).flatMap(([name, functions]) =>
      functions.map((one) => partOf(settlement, `src/${name}.ts`, one)),
    ),
    tests: testsOfPure.map((name) => `test/${name}.test.ts`),
    needsPostgres: false,
  },
];

/** Any file of settlement as a whole, by all its tests: minutes for each file. */
const settlementWhole: Target = {
  folder: settlement,
  sources: files(settlement, 'src/**/*.ts'),
  tests: files(settlement, 'test/**/*.test.ts').filter((path) => !path.startsWith('test/histories/')),
  needsPostgres: true,
};

/**
 * @param paths packages' folders, or sources in packages that are changed
 * @returns what is changed; all pure functions if no path is given
 * @throws an error for a path that is none of these
 */
export function chosen(paths: string[]): Target[] {
  if (paths.length === 0) return targets;
  return paths.map((path) => {
    const place = relative(root, join(root, path));
    const whole = targets.find(({ folder }) => folder === place);
    if (whole) return whole;
    const isHere = ({ folder, sources }: Target) => sources.some((source) => `${folder}/${source}` === place);
    const target = [...targets, settlementWhole].find(isHere);
    if (!target) throw new Error(`nothing is changed at ${path}`);
    return { ...target, sources: [relative(target.folder, place)] };
  });
}

/** @returns a folder's files by a pattern, in order of their names */
function files(folder: string, pattern: string): string[] {
  return globSync(pattern, { cwd: join(root, folder) }).sort();
}

/** @returns the lines of a function of a file, as Stryker names them */
function partOf(folder: string, file: string, name: string): string {
  const lines = readFileSync(join(root, folder, file), 'utf8').split('\n');
  const starts = [`function ${name}(`, `function ${name}<`];
  const start = lines.findIndex((line) =>
    starts.some((text) => line.replace('export ', '').startsWith(text)),
  );
  if (start === -1) throw new Error(`${folder}/${file} has no function ${name}`);
  const end = lines.indexOf('}', start);
  return `${file}:${start + 1}-${end + 1}`;
}
