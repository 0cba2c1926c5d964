import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root } from '../src/repository.ts';
import { readme } from './fixtures/readme.ts';

/**
 * The README's commands, links and settings exist. Its commands run in start.slow.ts, build.slow.ts and
 * webhooks-listen.slow.ts.
 */
const text = readme();

t.test('the README has exactly the commands of package.json', async (t) => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const told = [...text.matchAll(/npm (?:run )?([\w:]+)/g)].map(([, name]) => name);
  t.strictSame([...new Set(told)].filter((name) => name !== 'ci').sort(), Object.keys(scripts).sort());
});

t.test('every link points to a file or a heading', async (t) => {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(
    ([, title]) => `#${title?.toLowerCase().replaceAll(' ', '-')}`,
  );
  for (const [, target = ''] of text.matchAll(/\]\(([^)]+)\)/g)) {
    if (target.startsWith('#')) t.ok(headings.includes(target), target);
    else if (!target.startsWith('http')) t.ok(existsSync(join(root, target)), target);
  }
  for (const [, path = ''] of text.matchAll(/`((?:packages|services|scripts|deploy)\/[\w./-]*)`/g))
    t.ok(existsSync(join(root, path)), path);
});
