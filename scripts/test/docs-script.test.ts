import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { docsScript, docsScriptFile } from '../src/docs-script.ts';
import { root } from '../src/repository.ts';

t.test('the docs pages’ script is the bundle of its sources; else run npm run openapi', async (t) => {
  t.ok((await readFile(join(root, docsScriptFile), 'utf8')) === (await docsScript()));
});
