import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { check } from 'recheck';
import t from 'tap';
import { patternsOf } from '../src/patterns.ts';
import { root } from '../src/repository.ts';

/** Files that never meet a stranger's text: tests, and tools of those who develop and release. */
const ours =
  /\/(test|fixtures)\/|^packages\/(attack|benchmark|image-tests|release|testing)\/|^services\/api\/docs\/assets\//;

// Steps are counted, and no clock is asked: a busy machine gets the same verdicts.
const unhurried = { timeout: null, attackTimeout: null, incubationTimeout: null, seedingTimeout: null };

/** Without its native program, which not every platform has, the checker takes minutes. */
function hasProgram(): boolean {
  const system = { linux: 'linux', darwin: 'macos' }[process.platform as string];
  const ofChecker = createRequire(fileURLToPath(import.meta.resolve('recheck')));
  try {
    return Boolean(ofChecker.resolve(`recheck-${system}-${process.arch}/package.json`));
  } catch {
    return false;
  }
}

const files = globSync('{services,packages,scripts}/**/*.{ts,js,mjs}', {
  cwd: root,
  exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path),
}).filter((path) => !ours.test(path));

const found = files.map(patternsOf);
const fixed = found.flatMap((file) => file.fixed);

t.test('the search finds what it must: literals, texts of `RegExp`, and patterns of schemas', (t) => {
  const inFile = (path: string) => patternsOf(path).fixed.map(({ source }) => source);
  t.ok(inFile('services/api/src/administration/kit/form-values.ts').includes('%$'));
  t.ok(inFile('packages/pix-simulator/src/api-pix/cob.ts').includes('^\\d{1,9}$'));
  t.equal(patternsOf('packages/domain/src/personal-data.ts').made.length, 1);
  t.ok(fixed.length > 200);
  t.end();
});

t.test(
  'no regular expression that meets outside text takes more than linear time, or its bound is named',
  { skip: !hasProgram() && 'the checker has no native program for this platform' },
  async (t) => {
    const known = new Map<string, string>();
    for (const { source, flags, place, bound } of fixed) {
      if (bound !== null) continue;
      const literal = `/${source}/${flags}`;
      const verdict = known.get(literal) ?? (await verdictOf(source, flags));
      known.set(literal, verdict);
      t.equal(verdict, 'safe', `${place} ${literal}`);
    }
  },
);

t.test('a regular expression that is made at run time says what bounds it', (t) => {
  for (const { place, bound } of found.flatMap(({ made }) => made)) t.ok(bound, place);
  t.end();
});

async function verdictOf(source: string, flags: string): Promise<string> {
  const found = await check(source, flags, unhurried);
  return found.status === 'vulnerable'
    ? `${found.complexity.summary}: ${found.attack.pattern}`
    : found.status;
}
