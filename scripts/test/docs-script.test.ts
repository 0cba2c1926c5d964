import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { docsScript, docsScriptFile } from '../src/docs-script.ts';
import { root } from '../src/repository.ts';

t.test('the docs pages’ script is the bundle of its sources; else run npm run openapi', async (t) => {
  t.ok((await readFile(join(root, docsScriptFile), 'utf8')) === (await docsScript()));
});

t.test('its head has the licences of the libraries that it contains', async (t) => {
  const [head = ''] = (await readFile(join(root, docsScriptFile), 'utf8')).split('\n*/\n');
  for (const library of ['highlight.js', 'minisearch', '@scalar/snippetz'])
    t.match(head, new RegExp(`^${library} \\d\\S+ \\((MIT|BSD-3-Clause)\\)$`, 'm'), library);
  t.equal(head.match(/^Copyright /gm)?.length, 4);
});
