import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { edited } from '@payments/testing/break-sources';
import t from 'tap';
import { allDefects } from '../src/defects/all.ts';
import { faultNames } from '../src/faults/all.ts';
import { root } from '../src/sources.ts';

t.test('every defect applies to the sources', async (t) => {
  for (const { name, edits, faults } of allDefects) {
    t.same(
      faults.filter((fault) => !faultNames({ cluster: false }).includes(fault)),
      [],
      `${name}: its faults exist`,
    );
    for (const edit of edits) {
      const source = readFileSync(join(root, edit.file), 'utf8');
      t.not(edited(source, edit), source, `${name}: ${edit.file}`);
    }
  }
});

t.test('an edit whose place is missing or there twice is an error that names it', async (t) => {
  const edit = { file: 'a.ts', find: 'x', replace: 'y' };
  t.throws(() => edited('', edit), /a\.ts has 0 times: x/);
  t.throws(() => edited('x x', edit), /a\.ts has 2 times: x/);
  t.equal(edited('a x b', edit), 'a y b');
});
