import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { root } from '../src/repository.ts';

/** What contributors and maintainers find in `.github/`. */
const folder = join(root, '.github');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const { scripts, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

t.test('the workflows and issue templates are YAML', (t) => {
  const names = files.filter((name) => name.endsWith('.yml'));
  t.ok(names.length >= 5);
  for (const name of names) t.type(parse(read(name)), 'object', name);
  t.end();
});

t.test('what they run and link to is there', (t) => {
  for (const name of files.filter((one) => /\.(yml|md)$/.test(one))) {
    for (const [, script = ''] of read(name).matchAll(/npm run ([\w:]+)/g)) t.ok(scripts[script], script);
    for (const [, path = ''] of read(name).matchAll(/\]\(((?!https?:)[^)#]+)/g))
      t.ok(existsSync(join(folder, dirname(name), path)), `${name}: ${path}`);
  }
  t.end();
});

t.test('this version has its notes', (t) => {
  t.match(read(`release-notes/${version}.md`), version);
  t.end();
});
