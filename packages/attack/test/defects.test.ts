import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { edited } from '@payments/testing/break-sources';
import t, { type Test } from 'tap';
import { allDefects } from '../src/defects/all.ts';
import { faultNames } from '../src/faults/all.ts';
import { root } from '../src/sources.ts';

let modules = 0;

/** A module is compiled before its imports are looked for, which are not there. */
async function syntaxErrorOf(t: Test, source: string): Promise<string | undefined> {
  modules += 1;
  const folder = t.testdir({ [`broken-${modules}.ts`]: source });
  const error: unknown = await import(`${folder}/broken-${modules}.ts`).catch((reason) => reason);
  return error instanceof SyntaxError ? error.message : undefined;
}

t.test('every defect applies to the sources', async (t) => {
  for (const { name, edits, faults } of allDefects) {
    t.same(
      faults.filter((fault) => !faultNames({ cluster: false }).includes(fault)),
      [],
      `${name}: its faults exist`,
    );
    for (const file of new Set(edits.map((edit) => edit.file))) {
      const source = readFileSync(join(root, file), 'utf8');
      const broken = edits.filter((edit) => edit.file === file).reduce(edited, source);
      t.not(broken, source, `${name}: ${file}`);
      t.equal(await syntaxErrorOf(t, broken), undefined, `${name}: ${file} still compiles`);
    }
  }
});

t.test('an edit whose place is missing or there twice is an error that names it', async (t) => {
  const edit = { file: 'a.ts', find: 'x', replace: 'y' };
  t.throws(() => edited('', edit), /a\.ts has 0 times: x/);
  t.throws(() => edited('x x', edit), /a\.ts has 2 times: x/);
  t.equal(edited('a x b', edit), 'a y b');
});
