import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { check } from 'recheck';
import t from 'tap';
import { filesOfPatterns, patternsOf } from '../src/patterns.ts';

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

t.test(
  'no regular expression that meets outside text takes more than linear time, or its bound is named',
  { skip: !hasProgram() && 'the checker has no native program for this platform' },
  async (t) => {
    const known = new Map<string, string>();
    const fixed = filesOfPatterns().flatMap((path) => patternsOf(path).fixed);
    for (const { source, flags, place, bound } of fixed) {
      if (bound !== null) continue;
      const literal = `/${source}/${flags}`;
      const verdict = known.get(literal) ?? (await verdictOf(source, flags));
      known.set(literal, verdict);
      t.equal(verdict, 'safe', `${place} ${literal}`);
    }
  },
);

async function verdictOf(source: string, flags: string): Promise<string> {
  const found = await check(source, flags, unhurried);
  return found.status === 'vulnerable'
    ? `${found.complexity.summary}: ${found.attack.pattern}`
    : found.status;
}
