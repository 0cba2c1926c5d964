import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root } from '../src/repository.ts';

/** The page for finance uses the panel's own words. */
const text = readFileSync(join(root, 'deploy/finance.md'), 'utf8');
const panel = join(root, 'services/api/src');
const source = globSync('{administration,people,http/errors}/**/*.ts', { cwd: panel })
  .map((file) => readFileSync(join(panel, file), 'utf8'))
  .join('\n');

t.test('every word in italics is in the panel', async (t) => {
  const words = new Set([...text.matchAll(/\*([^*\n]+)\*/g)].map(([, word = '']) => word));
  t.ok(words.size > 20);
  for (const word of words) t.ok(source.includes(word), word);
});

t.test('every link points to a file', async (t) => {
  for (const [, target = ''] of text.matchAll(/\]\(([^)#]+)[^)]*\)/g))
    t.ok(existsSync(join(root, 'deploy', target)), target);
});
