import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { breakSources } from '@payments/testing/break-sources';
import { type Mutant, mutants } from './mutants.ts';

/** `npm run histories -- --mutants`: the histories must find every mistake, in a copy of the sources with it alone. */
const { HISTORIES_MUTANTS: wanted } = process.env;
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const chosen = mutants.filter(({ name }) => !wanted || name.includes(wanted));

let missed = 0;
for (const mutant of chosen) {
  const startedAt = Date.now();
  const story = await storyOf(mutant);
  const [finding] = mutant.says.exec(story) ?? [];
  if (finding === undefined) missed += 1;
  const after = `after ${Math.round((Date.now() - startedAt) / 1_000)} s`;
  console.log(
    finding ? `✓ ${mutant.name}: ${lineOf(story, finding)}, ${after}` : `✗ ${mutant.name}: ${after}`,
  );
  if (finding === undefined) console.log(story);
}
process.exitCode = missed > 0 ? 1 : 0;

/** @returns what the histories say of the first failing one; empty if none fails */
async function storyOf({ edits, banks = '1' }: Mutant): Promise<string> {
  const copy = await breakSources(root, edits, { tests: true });
  const test = join(copy, 'packages/settlement/test/histories/histories.slow.ts');
  const child = spawn(process.execPath, ['--conditions=public-payments', test], {
    cwd: copy,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HISTORIES_BANKS: banks, HISTORIES_BRIEF: '1' },
  });
  let story = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    story += text;
  });
  await once(child, 'close');
  await rm(copy, { recursive: true, force: true });
  return story;
}

function lineOf(story: string, finding: string): string {
  return story.split('\n').find((line) => line.includes(finding)) ?? finding;
}
