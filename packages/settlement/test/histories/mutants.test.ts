import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { edited } from '@payments/testing/break-sources';
import t from 'tap';
import { mutants } from './mutants.ts';

const root = new URL('../../../../', import.meta.url);

t.test('every mutant applies to the sources', async (t) => {
  for (const { name, edits } of mutants)
    for (const edit of edits) {
      const source = readFileSync(fileURLToPath(new URL(edit.file, root)), 'utf8');
      t.not(edited(source, edit), source, `${name}: ${edit.file}`);
    }
});
